import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../infra/project-root.ts'

const files = ['lib', 'functions'].flatMap(folder =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name)),
)
const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')

/** The lines below `@example`: each is an expression, with its value behind `//`. */
const examples = files.flatMap(file =>
  [...read(file).matchAll(/@example\n((?: \* [^@\n].*\n)+)/g)].flatMap(([, lines = '']) =>
    lines
      .trimEnd()
      .split('\n')
      .map(line => [line.slice(' * '.length), file] as const),
  ),
)

test.each(examples)('the example %s in %s is true', async (line, file) => {
  const exported = await import(join(projectRoot, file))
  const evaluated = (text = '') =>
    new Function(...Object.keys(exported), `return (${text})`)(...Object.values(exported))
  const [expression, value] = line.split(' // ')
  expect(evaluated(expression)).toEqual(evaluated(value))
})

test('there are examples', () => expect(examples.length).toBeGreaterThan(0))
