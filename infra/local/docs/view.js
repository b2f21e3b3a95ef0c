// How the parts of an OpenAPI description look. Text goes in as text nodes only, never as HTML.

/** An element; `on…` attributes are listeners, false and undefined ones are left out. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value)
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value)
  }
  made.append(...children.flat(Number.POSITIVE_INFINITY).filter(child => child !== undefined))
  return made
}

/** Paragraphs, lists and `code`: as much Markdown as the description uses. */
export function prose(text = '') {
  return text
    .trim()
    .split(/\n{2,}/)
    .map(block =>
      block.startsWith('- ')
        ? el(
            'ul',
            {},
            block
              .split(/^- /m)
              .slice(1)
              .map(item => el('li', {}, inline(item))),
          )
        : el('p', {}, inline(block)),
    )
}

export const inline = (text = '') =>
  text.split('`').map((part, index) => (index % 2 === 1 ? el('code', {}, part) : part))

/** JSON as people read it: names and kinds of values in colours of their own. */
export function json(value) {
  const parts = JSON.stringify(value, null, 2).split(
    /("(?:[^"\\]|\\.)*"(?:\s*:)?|\b(?:true|false|null)\b|-?\d[\d.e+-]*)/,
  )
  return el(
    'pre',
    { tabindex: '0' },
    el(
      'code',
      {},
      parts.map((part, index) => {
        if (index % 2 === 0) return part
        const kind = part.endsWith(':') ? 'name' : part.startsWith('"') ? 'text' : 'value'
        return el('span', { class: `json-${kind}` }, part)
      }),
    ),
  )
}

export const statusBadge = status =>
  el('span', { class: `status status-${String(status)[0]}` }, String(status))

/** Terms and what is said about each: reads well at any width, as a table does not. */
const terms = pairs =>
  el(
    'dl',
    { class: 'terms' },
    pairs.flatMap(([term, ...said]) => [el('dt', {}, term), el('dd', {}, said)]),
  )

export const parameterList = parameters =>
  terms(
    parameters.map(({ name, in: place, required, description }) => [
      [
        el('code', {}, name),
        ' ',
        el('span', { class: 'kind' }, `${place}, ${required ? 'required' : 'optional'}`),
      ],
      prose(description),
    ]),
  )

/** @param at resolves a node: `{ name, node }`, the name being that of what `$ref` names */
export function responseView(status, response, at) {
  const [[type, content]] = Object.entries(response.content)
  const schema = at(content.schema).node
  const examples = Object.values(content.examples ?? {}).map(example => at(example).node)
  const codes = schema.properties?.code?.enum ?? []
  const headers = Object.entries(response.headers).map(([name, header]) => [name, at(header).node])
  return el(
    'details',
    { class: 'response' },
    el(
      'summary',
      {},
      statusBadge(status),
      el('span', { class: 'grow' }, inline(response.description)),
      el(
        'span',
        { class: 'codes' },
        codes.map(code => el('code', {}, code)),
      ),
    ),
    el(
      'div',
      { class: 'inside' },
      el('h4', {}, 'Body ', el('code', { class: 'faint' }, type)),
      fields(content.schema, at, 2),
      el('h4', {}, examples.length > 1 ? 'Examples' : 'Example'),
      examples.map(({ summary, value }, index) =>
        el(
          'details',
          { open: index === 0 },
          el(
            'summary',
            {},
            value.code === undefined ? [] : [el('code', {}, value.code), ': '],
            inline(summary),
          ),
          json(value),
        ),
      ),
      el(
        'details',
        { class: 'apart' },
        el('summary', {}, `Headers (${headers.length})`),
        terms(headers.map(([name, header]) => headerTerm(name, header))),
      ),
    ),
  )
}

function headerTerm(name, { required, description, example, schema }) {
  const shown = example ?? schema.const ?? schema.enum?.join(' | ')
  return [
    [el('code', {}, name), ' ', el('span', { class: 'kind' }, required ? 'always' : 'sometimes')],
    prose(description),
    el('p', {}, el('code', { class: 'faint' }, String(shown))),
  ]
}

/** An object's fields, those of inner objects folded; `open` is how many levels are not. */
function fields(schema, at, open) {
  const { node } = at(schema)
  const parts = [...(node.allOf ?? []).map(part => at(part).node), node]
  const properties = Object.assign({}, ...parts.filter(part => part.properties).map(part => part.properties))
  const required = parts.flatMap(part => part.required ?? [])
  return el(
    'ul',
    { class: 'fields' },
    Object.entries(properties).map(([name, property]) => {
      const { inner, label } = kindOf(property, at)
      const line = [
        el('code', { class: 'json-name' }, name),
        ' ',
        el('span', { class: 'kind' }, label),
        required.includes(name) ? undefined : el('span', { class: 'kind' }, ', optional'),
        el('span', { class: 'note' }, inline(at(property).node.description)),
      ]
      if (inner === undefined) return el('li', {}, line)
      return el(
        'li',
        {},
        el('details', { open: open > 0 }, el('summary', {}, line), fields(inner, at, open - 1)),
      )
    }),
  )
}

/** A value's kind in words, and the schema of the object it is, or is made of. */
function kindOf(schema, at) {
  const { name, node } = at(schema)
  if (node.oneOf !== undefined) {
    const kinds = node.oneOf.map(one => kindOf(one, at))
    return { label: kinds.map(kind => kind.label).join(' or '), inner: kinds.find(kind => kind.inner)?.inner }
  }
  if (node.type === 'array') {
    const kind = kindOf(node.items, at)
    return { ...kind, label: `list of ${kind.label}` }
  }
  if (node.type === 'object') return { label: name ?? 'object', inner: schema }
  if (node.const !== undefined) return { label: JSON.stringify(node.const) }
  if (node.enum !== undefined) return { label: node.enum.join(' | ') }
  return { label: node.format ? `${node.type} (${node.format})` : node.type }
}
