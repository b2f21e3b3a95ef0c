/* global SwaggerUIBundle */

const read = async path => (await fetch(path)).json()
const caller = document.getElementById('caller')
const description = await read('/docs/openapi.json')
const root = document.getElementById('description')

document.title = description.info.title
caller.append(...(await read('/docs/tokens.json')).map(({ caller: name }) => new Option(name)))

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
new MutationObserver(() => {
  for (const [selector, attributes] of missing)
    for (const element of root.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
}).observe(root, { childList: true, subtree: true })

const nothing = () => null

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
    },
  ],
})
