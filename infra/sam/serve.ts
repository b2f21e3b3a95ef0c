import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { abortable } from '../../lib/time.ts'
import { curlLines } from '../sample-data/curl-lines.ts'
import { connectTo } from '../dynamodb/client.ts'
import { startEngine } from '../dynamodb/engine.ts'
import { acquireLock } from '../local/lock.ts'
import type { TokenIssuer } from '../local/issuer.ts'
import { assertFree } from '../listen.ts'
import { prepareTable } from '../local/table.ts'
import { endpointUrls } from '../serverless/service-definition.ts'
import { smoke } from '../smoke/smoke.ts'
import { addressForContainers, removeContainers } from './docker.ts'
import { checkSamCli, endLeftSamCli, startSamCli } from './sam-cli.ts'
import { tableName } from './template.ts'
import { templateFile, writeSam } from './write.ts'

export interface ServeOptions {
  /** The folder for template, code and the output of SAM CLI. */
  folder: string
  port: number
  tablePort: number
  issuer: TokenIssuer
  log: (line: string) => void
}

const pollMs = 250
const smokeAnswerMaxMs = 30_000

/**
 * Serves the functions in SAM CLI's containers until it is interrupted. When it returns or throws, everything that it
 * started is stopped.
 *
 * @throws Error of one sentence
 */
export async function serve(options: ServeOptions, interrupted: AbortSignal): Promise<void> {
  const { folder, port, tablePort, issuer } = options
  const log = (line: string) => interrupted.aborted || options.log(line) // the terminal may be closed then
  const started = new AsyncDisposableStack()
  try {
    await checkSamCli()
    const host = await addressForContainers()
    await endLeftSamCli(join(folder, templateFile))
    await assertFree(port, '127.0.0.1', '--port')
    await assertFree(tablePort, host, '--table-port')
    interrupted.throwIfAborted()

    started.defer(acquireLock(folder))
    const { template, code } = await writeSam({ folder, issuers: issuer.trust, tablePort })
    log(`template   ${template}`)
    const engine = await startEngine({ host, port: tablePort })
    started.defer(engine.stop)
    log(`table      ${tableName} in an embedded DynamoDB at ${engine.endpoint}`)
    const client = connectTo(engine.endpoint)
    await prepareTable(client, tableName, {}, log)

    const output = join(folder, 'output.log')
    log(`SAM CLI    starting, output in ${output}; the first start downloads an image`)
    started.defer(() => removeContainers(code))
    const sam = startSamCli(template, port, output)
    started.defer(sam.stop)
    const url = `http://127.0.0.1:${port}`
    const { listUrl, deleteUrl } = endpointUrls(url)
    while (!(await answers(listUrl, interrupted)))
      await Promise.race([sam.ended, sleep(pollMs, undefined, { signal: interrupted })])

    const token = await issuer.tokenFor()
    const smokeTest = smoke({ listUrl, token, timeoutMs: smokeAnswerMaxMs, isEmulated: true, log })
    const isHealthy = await abortable(smokeTest, interrupted)
    log(`\n${curlLines(listUrl, deleteUrl)}`)
    log(isHealthy ? `ready ${url}` : `Not ready: the smoke test failed; see ${output}.`)
    await abortable(sam.ended, interrupted)
  } catch (error) {
    if (!interrupted.aborted) throw error
  } finally {
    await started.disposeAsync()
  }
}

/** Whether the URL answers: SAM CLI opens its port when the containers run. */
async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    await (await fetch(url, { signal })).text()
    return true
  } catch {
    return false
  }
}
