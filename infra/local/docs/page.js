/* global SwaggerUIBundle */

const read = async path => (await fetch(path)).json()
const caller = document.getElementById('caller')
const description = await read('/docs/openapi.json')
const root = document.getElementById('description')

document.title = description.info.title
caller.append(...(await read('/docs/tokens.json')).map(({ caller: name }) => new Option(name)))

// Dark mode follows the system.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

// An example of Prefer would be sent with every request. The id is text here, so that the 404 of `abc` can be tried.
delete description.components.parameters.Prefer.examples
Object.assign(description.components.parameters.SamlProviderId, { schema: { type: 'string' }, example: '1' })

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
const complete = () => {
  for (const [selector, attributes] of missing)
    for (const element of root.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
}
new MutationObserver(complete).observe(root, { childList: true, subtree: true })

const nothing = () => null

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
    const { token } = (await read('/docs/tokens.json'))[caller.selectedIndex]
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
      wrapComponents: { responses: answers, headers: collapsed('Headers') },
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
