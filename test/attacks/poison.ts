import fc from 'fast-check'
import type { Item } from '../../lib/store/items.ts'

/** A text that must not occur in answers and logs. */
export const marker = 'POISON'

/** Attributes that the service reads; they are not changed. */
const own = /^(PK|SK|id|user_id|state|member_count|saml_provider_id|sso_provider_id|expires_at|is_disabled)$/
/** A name outside the document's fields, which would be shown. */
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

/** Adds unknown attributes to the items at every depth, and gives some known ones a wrong type. */
export function poisoned(items: Item[], { extras, instead, turns }: Poison): Item[] {
  let turn = 0
  return items.map(item => map(item) as Item)

  function map(value: unknown): unknown {
    if (Array.isArray(value)) return [...value.map(map), { ...ownOf(value[0]), ...extras }]
    if (typeof value !== 'object' || value === null) return value
    const known = Object.entries(value).map(([name, inner]) => [name, own.test(name) ? inner : wrong(inner)])
    return { ...Object.fromEntries(known), ...extras }
  }

  /** The attributes without which an element of a list is omitted. */
  function ownOf(element: unknown) {
    return Object.fromEntries(Object.entries(element ?? {}).filter(([name]) => own.test(name)))
  }

  // Every string is a valid text: only another type is wrong.
  function wrong(value: unknown): unknown {
    turn++
    if (turns[turn % turns.length] || typeof instead === 'string') return map(value)
    return typeof value === 'string' || typeof value === 'boolean' ? instead : map(value)
  }
}
