// Loaded into the emulation before anything else (node --require).
const hapi = require(require.resolve('@hapi/hapi', { paths: [require.resolve('serverless-offline')] }))

// API Gateway sends a function's answer as it is: no compression of its own, no changed Vary, no added charset.
hapi.Server = new Proxy(hapi.Server, {
  construct(Server, [options]) {
    const server = new Server({ ...options, compression: false })
    server.ext('onPreResponse', ({ response }, h) => {
      if (!response.isBoom) response.charset('')
      return h.continue
    })
    return server
  },
})

// When the stack dies without a word, so does the emulation.
if (process.channel !== undefined) {
  process.on('disconnect', () => process.exit(0))
  process.channel.unref()
}
