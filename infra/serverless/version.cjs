// The version of package.json and the Git commit, such as `1.2.0+4b841ff0c2d1`, with `-dirty` if a file of the commit was
// changed. It is a label: whatever Git cannot say is left out.
const { execFileSync } = require('node:child_process')
const { version } = require('../../package.json')

const words = ['--no-optional-locks', 'describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']

module.exports = () => {
  try {
    return `${version}+${execFileSync('git', words, { cwd: __dirname, encoding: 'utf8', stdio: 'pipe' }).trim()}`
  } catch {
    return version
  }
}
