/* global SwaggerUIBundle */

const read = name => fetch(`/docs/${name}.json`).then(answer => answer.json())
const byId = id => document.getElementById(id)
const element = (name, properties, ...content) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...content)
  return made
}
const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

// Dark mode follows the system.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

let service
/** The id of the chosen provider. */
let chosen
/** The users in the answer to a removal, by the removal's path. */
const answered = new Map()
const fates = {
  active: 'with this sign-in',
  removing: 'losing this sign-in',
  removed: 'lost this sign-in',
}
const dotsMax = 200
const namesMax = 20

const namesOf = users => {
  const names = users.slice(0, namesMax).map(user => user.principal_name)
  return [...names, ...(users.length > namesMax ? ['…'] : [])].join(', ')
}

/** A provider to choose, with a dot for each user. */
const row = ({ id, name, state, users: count }) => {
  const affected = answered.get(service.deleteUrl + id) ?? []
  const told = affected.length > 0 ? `: ${namesOf(affected)}` : ''
  return element(
    'label',
    { className: state },
    element('input', {
      type: 'radio',
      name: 'provider',
      id: `provider-${id}`,
      value: id,
      checked: id === chosen,
    }),
    element('b', {}, name),
    element('span', {}, `${counted(count, 'user')} ${fates[state]}${told}`),
    element('span', {}, ...Array.from({ length: Math.min(count, dotsMax) }, () => element('i'))),
  )
}

const chooseActive = () => {
  chosen = service.providers.find(({ state }) => state === 'active')?.id
}

/** Draws what the table has now. */
const draw = async () => {
  service = await read('service')
  if (chosen === undefined) chooseActive()
  show()
}
const show = () => {
  byId('data').textContent = `${service.data}.`
  byId('place').textContent = `Table ${service.place}.`
  const { id: focused } = document.activeElement
  byId('providers').replaceChildren(...service.providers.map(row))
  byId(focused)?.focus({ preventScroll: true })
  nameTarget()
}
const chosenProvider = () => service.providers.find(({ id }) => id === chosen)
const nameTarget = () => {
  const target = chosenProvider()
  const { name, state } = target ?? { name: 'a provider', state: 'active' }
  byId('target').textContent = state === 'active' ? name : `${name} again`
  byId('remove').disabled = target === undefined
}
byId('providers').addEventListener('change', ({ target }) => {
  chosen = Number(target.value)
  nameTarget()
})

const callers = await read('callers')
byId('caller').append(...callers.map(({ caller }) => new Option(caller)))
const tellRights = () => {
  byId('may').textContent = `who may ${callers[byId('caller').selectedIndex].may}.`
}
byId('caller').addEventListener('change', tellRights)
tellRights()

/** The chosen caller, with a new token, so that none has expired. */
const caller = async () => (await read('callers'))[byId('caller').selectedIndex]
const credentials = token => (token ? { Authorization: `Bearer ${token}` } : {})

/** Says what runs, or what came of it. */
const tell = (status, meaning = '', refused = false) => {
  byId('status').textContent = status
  byId('status').classList.toggle('refused', refused)
  byId('meaning').textContent = meaning
}
const meaningOf = ({ data: { saml_providers: listed, affected_user: lost } = {}, detail }) => {
  if (listed) return `${counted(listed.length, 'provider')} can be used to sign in.`
  return lost ? `Affected: ${counted(lost.length, 'user')}. Sent again, it has the same answer.` : detail
}

const shown = /^(deprecation|sunset|link|www-authenticate|retry-after|x-request-id)$/

/** Sends a request as the chosen caller, shows what came back, and leads to the next step. @returns whether it was done */
const send = async (method, path, next) => {
  tell(`… ${method} ${path}`)
  byId('body').value = ''
  const { token, command } = await caller()
  const answer = await fetch(path, { method, headers: credentials(token) })
  const body = await answer.json()
  if (body.data?.affected_user) answered.set(path, body.data.affected_user)
  await draw() // before the answer is told, so that nothing moves afterwards
  tell(`${answer.status} ${method} ${path}`, meaningOf(body), !answer.ok)
  const headers = [...answer.headers].filter(([name]) => shown.test(name)).map(line => line.join(': '))
  const verb = method === 'GET' ? '' : `-X ${method} `
  const authorization = token ? '-H "Authorization: Bearer $TOKEN" ' : ''
  const lines = command ? [`TOKEN=$(${command})`] : []
  lines.push(`curl ${verb}${authorization}${location.origin}${path}`)
  byId('body').value = [...lines, '', ...headers, '', JSON.stringify(body, null, 2)].join('\n')
  byId('body').hidden = false
  if (answer.ok) lead(next)
  return answer.ok
}

const lead = next => {
  if (next === 'remove' && chosenProvider()?.state === 'removed') {
    chooseActive()
    show()
  }
  for (const button of document.querySelectorAll('#try button'))
    button.setAttribute('aria-current', button.id === next && 'step')
}
const steps = {
  list: () => send('GET', service.listUrl, 'remove'),
  async remove() {
    const id = chosen
    if (await send('DELETE', service.deleteUrl + id, 'again'))
      byId(`provider-${id}`).parentElement.scrollIntoView({ block: 'nearest' })
  },
  again: () => send('GET', service.listUrl, 'remove'),
}
for (const [id, step] of Object.entries(steps))
  byId(id).addEventListener('click', () =>
    step().catch(() => tell('No answer: does npm start still run?', '', true)),
  )

// Only now can the buttons be pressed: earlier nothing would hear it.
await draw()
tell(
  chosen === undefined
    ? 'No provider is active, so there is none to remove.'
    : 'Press 1, 2 and 3, and watch the dots.',
)
lead('list')
byId('list').disabled = false
byId('again').disabled = false

SwaggerUIBundle({
  domNode: byId('description'),
  url: '/docs/openapi.json',
  deepLinking: true,
  async requestInterceptor(request) {
    const { token } = await caller()
    request.headers = { ...credentials(token), ...request.headers }
    return request
  },
})
