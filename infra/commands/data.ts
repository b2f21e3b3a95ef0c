import { runSubcommand } from '../command-line/command.ts'
import { affectedCommand } from '../data/affected.ts'
import { eraseCommand } from '../data/erase.ts'
import { exportCommand } from '../data/export.ts'
import { importCommand } from '../data/import.ts'
import { previewCommand } from '../data/preview.ts'
import { verifyCommand } from '../data/verify.ts'

await runSubcommand(
  'npm run --silent data --',
  "Fills the service's table, checks it, and shows what is in it.",
  [importCommand, exportCommand, verifyCommand, previewCommand, affectedCommand, eraseCommand],
)
