/* global SwaggerUIBundle */

const read = name => fetch(`/docs/${name}.json`).then(answer => answer.json())
const byId = id => document.getElementById(id)
const [description, callers, stack] = await Promise.all(['openapi', 'tokens', 'stack'].map(read))
const root = byId('description')

document.title = description.info.title

// Dark mode follows the system.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

/** Adds rows of texts to a table. */
const fill = (id, rows) => {
  for (const cells of rows) {
    const row = byId(id).insertRow()
    for (const text of cells) row.insertCell().append(text)
  }
}
byId('place').append(stack.place)
byId('summary').append(stack.summary)
fill(
  'providers',
  stack.providers.map(({ id, name, users }) => [id, name, users.length, users.join(', ')]),
)
byId('samples').hidden = !stack.hasSampleData
byId('unknown').hidden = stack.hasSampleData
fill(
  'callers',
  callers.map(({ caller, may }) => [caller, may]),
)
byId('caller').append(...callers.map(({ caller }) => new Option(caller)))
for (const one of document.querySelectorAll('.facts details')) one.open = innerWidth > 640

// An example of Prefer would be sent with every request. The id is text here, so that the 404 of `abc` can be tried.
delete description.components.parameters.Prefer.examples
Object.assign(description.components.parameters.SamlProviderId, { schema: { type: 'string' }, example: '1' })

// A badge names the successor, in place of a sentence, a warning and a path that is struck through.
const successors = {}
for (const operation of Object.values(description.paths).flatMap(Object.values)) {
  const [text, successor] = operation.description.split(/Deprecated; the successor is `(.+)`\./)
  Object.assign(operation, { description: text, deprecated: false })
  successors[operation.operationId] = successor
}

// Attributes for keyboards and screen readers that the library does not set.
const missing = [
  ['.information-container', { role: 'region', 'aria-label': 'About' }],
  ['h3.opblock-tag', { 'aria-level': '2' }],
  ['.opblock h4', { 'aria-level': '3' }],
  ['.opblock h5', { 'aria-level': '4' }],
  ['.microlight', { tabindex: '0' }],
  ['.examples-select-element', { 'aria-label': 'Example' }],
  ['.responses-table', { role: 'table' }],
]
new MutationObserver(() => {
  for (const [selector, attributes] of missing)
    for (const element of root.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
}).observe(root, { childList: true, subtree: true })

const nothing = () => null

/** A component of the library, followed by the badge of a deprecated operation. */
const badged =
  (Original, { React: { createElement: h } }) =>
  properties => {
    const successor = successors[properties.operationProps.get('operationId')]
    const link = h('a', { href: byId('successors').href }, successor)
    return h(
      'div',
      null,
      h(Original, properties),
      successor && h('p', { className: 'deprecated' }, h('b', null, 'deprecated'), ' Successor: ', link),
    )
  }

/** Collapses a component of the library under the title. */
const collapsed =
  title =>
  (Original, { React: { createElement: h } }) =>
  properties =>
    h('details', null, h('summary', null, title), h(Original, properties))

/** The path of the operation whose answer has just arrived, until it is shown. */
let arrived

/** The answer, which gets the focus when it arrives, above what is documented, which is collapsed. */
const answers = (Original, system) => {
  const { createElement: h } = system.React
  const Documented = collapsed('Documented answers')(Original, system)
  return properties => {
    const { tryItOutResponse: response, getComponent, path, method } = properties
    const lead = element => {
      if (element === null || arrived !== path) return
      arrived = undefined
      element.focus({ preventScroll: true })
      element.scrollIntoView()
    }
    const section = {
      className: 'answer',
      'aria-label': `Answer to ${method.toUpperCase()}`,
      tabIndex: -1,
      ref: lead,
    }
    return h(
      'div',
      null,
      response && h('section', section, h(getComponent('liveResponse'), { ...properties, response })),
      h(Documented, { ...properties, tryItOutResponse: undefined }),
    )
  }
}

SwaggerUIBundle({
  domNode: root,
  spec: description,
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1, // schemas are shown where they are used
  syntaxHighlight: { theme: 'tomorrow-night' }, // the default theme has too little contrast for numbers
  validatorUrl: null,
  // A new token for each request, so that none has expired.
  async requestInterceptor(request) {
    const { token } = (await read('tokens'))[byId('caller').selectedIndex]
    if (token !== '') request.headers.Authorization = `Bearer ${token}`
    return request
  },
  plugins: [
    {
      components: {
        authorizeBtn: nothing,
        authorizeOperationBtn: nothing,
        ServersContainer: nothing,
        DeepLink: ({ text }) => text, // it would be a link inside a button; the address bar shows the open operation
      },
      wrapComponents: {
        OperationSummary: badged,
        responses: answers,
        curl: collapsed('The request as a curl command'),
        headers: collapsed('Headers'),
      },
      statePlugins: {
        spec: {
          wrapActions: {
            // An answer is never shown beside the next request.
            executeRequest:
              (execute, { specActions }) =>
              request => {
                specActions.clearResponse(request.pathName, request.method)
                return execute(request)
              },
            setResponse: set => (path, method, response) => {
              arrived = path
              return set(path, method, response)
            },
          },
        },
      },
    },
  ],
})
