import { startEngine } from '../../infra/dynamodb/engine.ts'

// A process of its own, so that the engine's work is not counted as the service's. Ends with its parent.
const { endpoint } = await startEngine()
process.send?.(endpoint)
process.on('disconnect', () => process.exit(0))
