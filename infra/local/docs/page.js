import { tryIt } from './try.js'
import { el, parameterList, prose, responseView } from './view.js'

const byId = id => document.getElementById(id)
const get = async path => (await fetch(path)).json()

const description = await get('/docs/openapi.json')

/** What a `$ref` names, and its name. */
function at(node) {
  if (node?.$ref === undefined) return { node }
  const names = node.$ref.slice(2).split('/')
  return { name: names.at(-1), node: names.reduce((inner, name) => inner[name], description) }
}

const { info, paths } = description
document.title = info.title
byId('title').textContent = info.title
byId('version').textContent = `Version ${info.version}`
byId('about').append(...prose(info.description))

// Who is calling
const [caller, token] = [byId('caller'), byId('token')]
let tokens = await get('/docs/tokens.json')
const choose = () => {
  token.value = tokens[caller.selectedIndex].token
}
caller.append(...tokens.map(one => el('option', {}, one.caller)))
caller.addEventListener('change', choose)
byId('renew').addEventListener('click', async () => {
  tokens = await get('/docs/tokens.json')
  choose()
})
choose()

// Last, so that no form is there before there is a token to send.
byId('operations').replaceChildren(
  ...Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationView(method, path, operation)),
  ),
)

function operationView(method, path, operation) {
  const id = operation.operationId
  const parameters = operation.parameters.map(parameter => at(parameter).node)
  const scopes = operation.security.flatMap(({ bearer }) => bearer)
  return el(
    'section',
    { class: 'card operation', 'aria-labelledby': id },
    el(
      'p',
      { class: 'route' },
      el('span', { class: `method method-${method}` }, method.toUpperCase()),
      el('code', {}, path),
      operation.deprecated ? el('span', { class: 'deprecated' }, 'deprecated') : undefined,
    ),
    el('h2', { id }, operation.summary),
    el(
      'div',
      { class: 'columns' },
      el(
        'div',
        {},
        prose(operation.description),
        el(
          'p',
          {},
          'Needs a bearer token with the scope ',
          scopes.map(scope => el('code', {}, scope)),
          '.',
        ),
        parameterList(parameters),
      ),
      tryIt(method, path, parameters, id, () => token.value.trim()),
    ),
    el('h3', {}, 'Answers'),
    Object.entries(operation.responses).map(([status, response]) =>
      responseView(status, at(response).node, at),
    ),
  )
}
