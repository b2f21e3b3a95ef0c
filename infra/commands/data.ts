import { refuse } from '../command-line/options.ts'
import { affected, usage } from '../data/affected.ts'

// npm run data -- COMMAND [OPTION…], on the table of AWS's environment, or of DYNAMODB_ENDPOINT.

const write = (text: string) => void process.stdout.write(text)
const progress = (line: string) => void process.stderr.write(`${line}\n`)

const [command, ...args] = process.argv.slice(2)
try {
  if (command !== 'affected') throw new Error(`Type one of these after npm run --silent data --:\n  ${usage}`)
  await affected(args, write, progress)
} catch (error) {
  refuse(error)
}
