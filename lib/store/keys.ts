/** The table's primary key. */
export interface Key {
  PK: string
  SK: string
}

/** One partition holds all providers, so that one strongly consistent Query lists them. */
export const providersPartition = 'SAML_PROVIDERS'

export const providerKey = (id: number): Key => ({
  PK: providersPartition,
  SK: `PROVIDER#${String(id).padStart(10, '0')}`,
})

export const membersPartition = (providerId: number) => `SAML_PROVIDER#${providerId}`

export const edgeKey = (providerId: number, userId: string): Key => ({
  PK: membersPartition(providerId),
  SK: `USER#${userId}`,
})

export const userKey = (id: string): Key => ({ PK: `USER#${id}`, SK: 'USER' })

/** Which provider an item is: its key decides, whatever its attributes say. */
export const providerIdOf = ({ SK }: { SK?: unknown }) => Number(String(SK).replace('PROVIDER#', ''))

/** Whose membership an edge is. */
export const userIdOf = ({ SK }: { SK?: unknown }) => String(SK).replace('USER#', '')
