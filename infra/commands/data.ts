import { defineCommand, runCommand } from '../command-line/command.ts'
import { eraseCommand } from '../data/erase.ts'
import { exportCommand } from '../data/export.ts'
import { importCommand } from '../data/import.ts'
import { membersCommand } from '../data/members.ts'
import { undoCommand } from '../data/undo.ts'
import { verifyCommand } from '../data/verify.ts'

export const command = defineCommand('npm run --silent data --', {
  purpose: "Fills the service's table, checks it, and shows what is in it.",
  example: 'npm run --silent data -- verify --table saml-providers-prod',
})
  .addCommand(importCommand)
  .addCommand(exportCommand)
  .addCommand(verifyCommand)
  .addCommand(membersCommand)
  .addCommand(undoCommand)
  .addCommand(eraseCommand)

await runCommand(import.meta.filename, command)
