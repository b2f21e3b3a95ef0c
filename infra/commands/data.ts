import { runSubcommand } from '../command-line/command.ts'
import { affectedCommand } from '../data/affected.ts'

await runSubcommand('npm run --silent data --', "Looks into the service's table.", [affectedCommand])
