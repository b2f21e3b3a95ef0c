import { createServer, request } from 'node:http'
import { listen } from '../../infra/listen.ts'
import { type AwsCall, describeCall } from '../infra/serverless/fake-aws/aws-call.ts'

/**
 * Starts a proxy of another server that records the requests with an AWS signature.
 *
 * @returns `take` returns the calls since its last call
 */
export async function recordingProxy(target: string) {
  const { hostname, port } = new URL(target)
  let calls: AwsCall[] = []
  const server = createServer(async (incoming, response) => {
    const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>))
    const call = describeCall(incoming, body)
    if (call.service !== '') calls.push(call)
    const { method, url: path, headers } = incoming
    const outgoing = request({ hostname, port, method, path, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    outgoing.end(body)
  })
  return {
    url: `http://127.0.0.1:${await listen(server, 0)}`,
    take() {
      const taken = calls
      calls = []
      return taken
    },
    stop: () => void server.close().closeAllConnections(),
  }
}
