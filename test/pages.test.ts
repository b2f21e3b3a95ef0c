import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../infra/project-root.ts'
import { problemKinds } from '../lib/http/problem.ts'
import { events } from '../lib/log.ts'

const find = (...patterns: string[]) => globSync(patterns, { cwd: projectRoot })
const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')
const pages = find('README.md', '{.github,functions,infra,lib,test}/**/*.md')

/** What the pattern's group finds, with the page. */
const named = (pattern: RegExp) =>
  pages.flatMap(page => [...read(page).matchAll(pattern)].map(([, name = '']) => ({ page, name })))

const { scripts, version } = JSON.parse(read('package.json'))

describe('the pages name only', () => {
  test('npm scripts that exist', () => {
    const commands = named(/npm run (?:--silent )?([a-z][\w:-]*)/g)
    expect(commands.filter(({ name }) => !(name in scripts))).toEqual([])
  })

  test('files and folders that exist', () => {
    const paths = named(/`((?:functions|infra|lib|test|\.github|\.ci)\/[\w./-]+)`/g)
    const isOwn = (name: string) => name.startsWith('infra/stages/') || /[A-Z]{2}/.test(name)
    // A page about tests names them below test/.
    const exists = (name: string) => ['', 'test'].some(folder => existsSync(join(projectRoot, folder, name)))
    expect(paths.filter(({ name }) => !isOwn(name) && !exists(name))).toEqual([])
  })

  test('parameters, functions, codes, events and attributes that the code has', () => {
    const code = find('*.{json,yml}', '{functions,infra,lib}/**/*.{ts,cjs,yml,json}').map(read).join()
    const known = new Set(code.match(/\w+/g))
    const words = named(/`([a-z]+(?:[A-Z][a-z]+|_[a-z]+)+)`/g).filter(({ page }) => !/CHANGELOG/.test(page))
    expect(words.filter(({ name }) => !known.has(name))).toEqual([])
  })

  test('links to files and headings that exist', () => {
    const links = pages.flatMap(page =>
      [...read(page).matchAll(/\]\(([^)#:]*)(?:#([\w-]+))?\)/g)].map(([, path = '', heading]) => ({
        page,
        target: path === '' ? page : join(dirname(page), path),
        heading,
      })),
    )
    const isBroken = ({ target, heading }: (typeof links)[number]) =>
      !existsSync(join(projectRoot, target)) ||
      (heading !== undefined && !headingsOf(target).includes(heading))
    expect(links.filter(isBroken)).toEqual([])
  })
})

/** The anchors of a page. */
const headingsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

test.each([
  ['infra/clients.md', 'Failures', Object.entries(problemKinds).map(([code, { status }]) => [code, status])],
  ['infra/alarms.md', 'Log events', Object.entries(events).map(([event, { level }]) => [event, level])],
])('%s has each row of %s, in the order of the code', (page, heading, rows) => {
  const [, section = ''] = read(page).split(`\n## ${heading}\n`)
  const written = section.split('\n## ', 1)[0]?.matchAll(/^\| `(\w+)` \| (\w+) \| \S/gm) ?? []
  expect([...written].map(([, name, value]) => `${name} ${value}`)).toEqual(rows.map(row => row.join(' ')))
})

test('the newest version of the changelog is that of package.json', () => {
  expect(/^## (\d[\d.]+)/m.exec(read('.github/CHANGELOG.md'))?.[1]).toBe(version)
})
