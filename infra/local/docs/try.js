import { el, json, statusBadge } from './view.js'

/**
 * A form that sends the real request and shows what comes back.
 *
 * @param token what to send as the bearer token; empty for none
 */
export function tryIt(method, path, parameters, id, token) {
  // Accept-Encoding is the browser's own affair: a page cannot set it.
  const inputs = parameters
    .filter(({ name }) => name !== 'Accept-Encoding')
    .map(parameter => {
      const values = Object.values(parameter.examples ?? {}).map(example => example.value)
      const input = el('input', {
        id: `${id}-${parameter.name}`,
        list: values.length > 0 ? `${id}-${parameter.name}-values` : undefined,
        value: String(parameter.example ?? ''),
        placeholder: values.length > 0 ? `optional, such as ${values[0]}` : undefined,
        autocomplete: 'off',
        spellcheck: 'false',
      })
      return { parameter, values, input }
    })
  const command = el('code')
  const answer = el('div', { class: 'answer', role: 'status' })
  const button = el('button', { type: 'submit', class: `send send-${method}` }, 'Try it')

  const asked = () => {
    const headers = token() === '' ? {} : { Authorization: `Bearer ${token()}` }
    let target = path
    for (const { parameter, input } of inputs) {
      if (parameter.in === 'path')
        target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value))
      else if (input.value !== '') headers[parameter.name] = input.value
    }
    return { target, headers }
  }

  const send = async event => {
    event.preventDefault()
    const { target, headers } = asked()
    command.textContent = curl(method, target, headers)
    button.disabled = true
    answer.replaceChildren(el('p', { class: 'hint' }, 'Waiting for the answer…'))
    try {
      answer.replaceChildren(...(await exchange(method, target, headers)))
    } catch (error) {
      answer.replaceChildren(
        el('p', { class: 'fault' }, `There is no answer: ${error.message}. Does the local stack still run?`),
      )
    }
    button.disabled = false
    button.focus()
  }

  return el(
    'form',
    { class: 'try', 'aria-label': `Try it: ${method.toUpperCase()} ${path}`, onsubmit: send },
    inputs.map(({ parameter, values, input }) =>
      el(
        'div',
        { class: 'field' },
        el('label', { for: input.id }, el('code', {}, parameter.name)),
        input,
        el(
          'datalist',
          { id: `${input.id}-values` },
          values.map(value => el('option', { value })),
        ),
      ),
    ),
    button,
    answer,
    el(
      'details',
      { class: 'command' },
      el(
        'summary',
        {
          onclick: () => {
            const { target, headers } = asked()
            command.textContent = curl(method, target, headers)
          },
        },
        'As a command',
      ),
      el('pre', { tabindex: '0' }, command),
    ),
  )
}

async function exchange(method, target, headers) {
  const began = performance.now()
  const response = await fetch(target, { method: method.toUpperCase(), headers, cache: 'no-store' })
  const text = await response.text()
  const took = Math.round(performance.now() - began)
  const body = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
  const [[name, rows] = []] = Object.entries(body?.data ?? {})
  const facts = [
    name === undefined ? (body?.code ?? response.statusText) : `${rows.length} × ${name}`,
    `${took} ms`,
    `${text.length.toLocaleString('en')} characters`,
  ]
  return [
    el(
      'p',
      { class: 'outcome' },
      statusBadge(response.status),
      el('strong', {}, facts[0]),
      el('span', { class: 'hint' }, facts.slice(1).join(' · ')),
    ),
    el('h4', {}, 'Body'),
    body === undefined ? el('pre', { tabindex: '0' }, text) : json(body),
    el('h4', {}, 'Headers'),
    el(
      'dl',
      { class: 'headers' },
      [...response.headers].flatMap(([header, value]) => [el('dt', {}, header), el('dd', {}, value)]),
    ),
  ]
}

function curl(method, target, headers) {
  const quoted = text => `'${text.replaceAll("'", "'\\''")}'`
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return [
    'curl -i',
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    ...lines,
    quoted(location.origin + target),
  ].join(' \\\n  ')
}
