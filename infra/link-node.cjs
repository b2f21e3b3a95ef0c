// npm runs this after each installation: it links the Node that the project has installed as node_modules/.bin/node, which
// npm 9, 10 and early 11 delete (https://github.com/npm/cli/issues/4362).
// Old syntax on purpose: an old Node must be able to run this file.
var fs = require('node:fs')
var path = require('node:path')

var packages = path.join(__dirname, '../node_modules')
var name = `node-${process.platform}-${process.arch}`
var link = path.join(packages, '.bin/node')

// The link may lead nowhere, to the package of another platform: then it does not "exist", but takes the place.
if (fs.existsSync(path.join(packages, name, 'bin/node')) && !fs.existsSync(link)) {
  fs.rmSync(link, { force: true })
  fs.mkdirSync(path.dirname(link), { recursive: true })
  fs.symlinkSync(path.join('..', name, 'bin/node'), link)
}
