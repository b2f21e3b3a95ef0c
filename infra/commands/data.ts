import { runSubcommand } from '../command-line/command.ts'
import { affectedCommand } from '../data/affected.ts'
import { exportCommand } from '../data/export.ts'
import { importCommand } from '../data/import.ts'
import { verifyCommand } from '../data/verify.ts'

await runSubcommand(
  'npm run --silent data --',
  "Fills the service's table, checks it, and shows what is in it.",
  [importCommand, exportCommand, verifyCommand, affectedCommand],
)
