// node infra/check-node.cjs PROGRAM [OPTION…]: exits with one sentence on an old Node, else runs the program in this process.
// Another module that requires it gets the check alone.
// Old syntax on purpose: an old Node must be able to run this file.
var needed = 24
var running = process.versions.node

if (Number(running.split('.')[0]) < needed) {
  process.stderr.write(
    'Node 24 or newer is needed, and this is Node ' +
      running +
      '. On Linux, and on macOS with an Intel processor, `npm ci` (without --omit=optional) installs Node 24 for the ' +
      'project: run the command through npm. Elsewhere install Node 24 yourself.\n',
  )
  process.exit(1)
}

function run(program) {
  process.argv.splice(1, 2, program)
  import(require('node:url').pathToFileURL(program).href)
}

if (require.main === module) run(require('node:path').resolve(process.argv[2]))
