import { defineCommand } from '../command-line/command.ts'
import { tableVariables } from './open-data.ts'

/** Defines a subcommand of `npm run data` for one table. */
export const defineDataCommand = (name: string, purpose: string, example: string) =>
  defineCommand(name, {
    purpose,
    variables: tableVariables,
    example: `npm run --silent data -- ${name} --table saml-providers-prod${example}`,
  }).requiredOption('--table <NAME>', 'The table: the output TableName of the deployment.')
