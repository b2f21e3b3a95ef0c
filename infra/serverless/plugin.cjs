// serverless.yml lists this file. An old Node gets one sentence here, where it would call plugin.ts a syntax error.
require('../check-node.cjs')
module.exports = require('./plugin.ts').default
