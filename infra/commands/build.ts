import { buildFunctions } from '../build.ts'

// npm run build
const names = await buildFunctions()
process.stdout.write(`built .build/functions: ${names.join(', ')}\n`)
