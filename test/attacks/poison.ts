import fc from 'fast-check'
import type { Item } from '../../lib/store/items.ts'

/** Nothing that carries it may leave. */
export const marker = 'POISON'

/** What the service itself reads; changed, it would be another item. */
const own = /^(PK|SK|id|user_id|state|member_count|saml_provider_id|sso_provider_id|expires_at|is_disabled)$/
/** Never the name of a field of the document: that would be shown, and rightly so. */
const extraName = fc.oneof(
  fc.constantFrom('password_hash', 'totp_secret', 'private_key', 'valid', 'string', 'time', 'toString'),
  fc.string({ minLength: 1, maxLength: 12 }).map(name => `${name}_${marker}`),
)
const extraValue = fc.constantFrom<unknown>(marker, [marker], { secret: marker }, [
  { deep: [{ er: marker }] },
])
const extras = fc.dictionary(extraName, extraValue, { minKeys: 1, maxKeys: 4, noNullPrototype: true })

export const poison = fc.record({
  extras,
  instead: extraValue,
  turns: fc.array(fc.boolean(), { minLength: 1 }),
})

type Poison = typeof poison extends fc.Arbitrary<infer P> ? P : never

/** The items with attributes that nobody knows at every depth, and some of the known ones of a wrong type. */
export function poisoned(items: Item[], { extras, instead, turns }: Poison): Item[] {
  let turn = 0
  return items.map(item => map(item) as Item)

  function map(value: unknown): unknown {
    if (Array.isArray(value)) return [...value.map(map), { ...ownOf(value[0]), ...extras }]
    if (typeof value !== 'object' || value === null) return value
    const known = Object.entries(value).map(([name, inner]) => [name, own.test(name) ? inner : wrong(inner)])
    return { ...Object.fromEntries(known), ...extras }
  }

  /** What makes an element one of its list, though nothing else of it is known. */
  function ownOf(element: unknown) {
    return Object.fromEntries(Object.entries(element ?? {}).filter(([name]) => own.test(name)))
  }

  // A string of any kind is what a text shows: only another type can be wrong.
  function wrong(value: unknown): unknown {
    turn++
    if (turns[turn % turns.length] || typeof instead === 'string') return map(value)
    return typeof value === 'string' || typeof value === 'boolean' ? instead : map(value)
  }
}
