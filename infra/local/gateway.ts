import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { finished } from 'node:stream/promises'
import type { Pages } from './docs/docs.ts'
import type { RenderAnswer } from './gateway-answers.ts'
import { listen } from './listen.ts'
import { matchRoute } from './route-match.ts'
import type { Route } from '../serverless/service-definition.ts'

export interface Gateway {
  url: string
  /** From now on requests go to the functions behind this port. */
  forwardTo(port: number): void
  stop(): Promise<void>
}

/** API Gateway's quotas for REST APIs. */
const headerMaxBytes = 10_240
const bodyMaxBytes = 10 * 1024 * 1024
/** What this server itself takes in, so that the quota is what refuses. */
const parserMaxBytes = 128 * 1024

const ownToConnection =
  /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|expect)$/i

/**
 * Does what API Gateway does and the emulation behind it does not: knows the routes and nothing else, keeps the quotas,
 * and gives its own answers wherever a function gave none. All else passes through as it came, line by line.
 *
 * @param pages what this machine alone shows besides, before anything of the service
 * @throws EADDRINUSE and its like, when the port is not to be had
 */
export async function startGateway(
  port: number,
  routes: Route[],
  render: RenderAnswer,
  pages: Pages = async () => undefined,
): Promise<Gateway> {
  const agent = new Agent({ keepAlive: true })
  let functionsPort: number | undefined

  const server = createServer({ maxHeaderSize: parserMaxBytes }, (request, response) => {
    handle(request, response).catch(() => reply(response, render('DEFAULT_5XX')))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return
    socket.end(asText(render(error.code === 'HPE_HEADER_OVERFLOW' ? 'REQUEST_TOO_LARGE' : 'DEFAULT_4XX')))
  })
  const url = `http://127.0.0.1:${await listen(server, port)}`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => {}) // a client that hangs up is not a failure
    const page = await pages(request.method, request.url)
    if (page !== undefined) return reply(response, page)
    const target = matchRoute(routes, request.method, request.url)
    if (headerBytes(request.rawHeaders) > headerMaxBytes) return reply(response, render('REQUEST_TOO_LARGE'))
    if (target === undefined) return reply(response, render('MISSING_AUTHENTICATION_TOKEN'))
    const body = await readBody(request)
    if (body === undefined) return reply(response, render('REQUEST_TOO_LARGE'))
    if (functionsPort === undefined) return reply(response, render('DEFAULT_5XX'))

    const answer = await exchange(functionsPort, request, target, body)
    if (answer.headers['x-request-id'] !== undefined) return passOn(answer, response)
    answer.resume()
    reply(response, render((answer.statusCode ?? 500) < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX'))
  }

  function exchange(port: number, request: IncomingMessage, target: string, body: Buffer) {
    const headers = withoutConnection(request.rawHeaders, /^content-length$/i)
    if (body.length > 0) headers.push('Content-Length', String(body.length))
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    send({ agent, host: '127.0.0.1', port, method: request.method, path: target, headers })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
    return promise
  }

  return {
    url,
    forwardTo: port => {
      functionsPort = port
    },
    stop: () =>
      new Promise(resolve => {
        agent.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** @returns undefined for a body over the quota; reading stops there */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > bodyMaxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function passOn(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  // The emulation adds CORS headers that neither the functions nor API Gateway would send.
  response.writeHead(
    answer.statusCode ?? 500,
    withoutConnection(answer.rawHeaders, /^access-control-|^(accept-ranges|date)$/i),
  )
  answer.pipe(response)
  await finished(response).catch(() => answer.destroy())
}

function reply(response: ServerResponse, { status, headers, body }: ReturnType<RenderAnswer>): void {
  if (response.headersSent) return void response.destroy()
  // What the client still has to send is not waited for.
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
  response.end(body)
}

function asText({ status, headers, body }: ReturnType<RenderAnswer>): string {
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `HTTP/1.1 ${status} \r\n${head}\r\n${body}`
}

/** Header lines as they came, two of one name as two. */
function withoutConnection(rawHeaders: string[], alsoWithout: RegExp): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)] ?? ''
    return !ownToConnection.test(name) && !alsoWithout.test(name)
  })
}

/** Each line is `name: value` and a line end. */
function headerBytes(rawHeaders: string[]): number {
  return rawHeaders.reduce((bytes, text) => bytes + Buffer.byteLength(text, 'latin1') + 2, 0)
}
