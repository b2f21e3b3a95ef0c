import type { User } from '../../lib/domain/resources.ts'
import { absentTime, isoTime, startMs } from './values.ts'

type Role = User['roles'][number]

const trace = { created_at: isoTime(startMs), updated_at: isoTime(startMs), deleted_at: absentTime.nullable }

const authorities = ['users', 'sso-providers', 'environments', 'reports']

const grants = {
  Administrator: ['Runs the installation.', authorities, ['Read', 'Write', 'Manage']],
  'Power User': ['Works in every project.', ['environments', 'reports'], ['Read', 'Write']],
  Auditor: ['Sees everything, changes nothing.', authorities, ['Read']],
  User: ['Reads the reports.', ['reports'], ['Read']],
} as const

export type RoleName = keyof typeof grants

/** The roles of a user: the one named, which everyone else's everyday role follows. */
export const rolesOf = (name: RoleName): Role[] => (name === 'User' ? ['User'] : [name, 'User']).map(roleOf)

function roleOf(name: string): Role {
  const [description, granted, verbs] = grants[name as RoleName]
  return {
    id: Object.keys(grants).indexOf(name) + 1,
    ...trace,
    name,
    description,
    permissions: granted.flatMap(authority =>
      verbs.map(verb => ({
        id: authorities.indexOf(authority) * 3 + ['Read', 'Write', 'Manage'].indexOf(verb) + 1,
        ...trace,
        authority,
        name: verb,
      })),
    ),
  }
}
