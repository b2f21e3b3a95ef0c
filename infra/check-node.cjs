// node infra/check-node.cjs PROGRAM [OPTION…]: runs the program in this process, but exits with one sentence on an old Node, or
// where packages are missing. Another module that requires it gets the check of Node alone.
// Old syntax on purpose: an old Node must be able to run this file.
var needed = 24
var running = process.versions.node

if (Number(running.split('.')[0]) < needed) {
  process.stderr.write(
    'Node 24 or newer is needed, and this is Node ' +
      running +
      '. On Linux, and on macOS with an Intel processor, `npm ci` (without --omit=optional) installs Node 24 for the project: run the ' +
      'command through npm. If that ends here, too, run `npm ci` again, because npm says nothing when it could not download an ' +
      'optional package; where scripts are off (--ignore-scripts), run `node infra/link-node.cjs` after it. Elsewhere install ' +
      'Node 24 yourself.\n',
  )
  process.exit(1)
}

function run(program) {
  process.argv.splice(1, 2, program)
  import(require('node:url').pathToFileURL(program).href).catch(error => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    process.stderr.write(`${error.message}. Run \`npm ci --include=dev\`, which installs all packages.\n`)
    process.exit(1)
  })
}

if (require.main === module) run(require('node:path').resolve(process.argv[2]))
