import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../command-line/command.ts'
import { usualEndpoint } from './aws.ts'
import { usualRegion } from './service-definition.ts'

/** The environment variables of every command that asks AWS. */
export const awsVariables = {
  AWS_REGION: "The region, unless --region or the stage's file names it.",
  AWS_PROFILE: "The profile of your AWS configuration, unless --aws-profile or the stage's file names it.",
  AWS_ACCESS_KEY_ID:
    'Credentials, when no profile is named, with AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.',
  AWS_CONFIG_FILE:
    'Your AWS configuration, instead of ~/.aws/config; AWS_SHARED_CREDENTIALS_FILE: instead of ~/.aws/credentials.',
  AWS_ENDPOINT_URL: `The URL of an AWS emulator, such as ${usualEndpoint}; AWS_ENDPOINT_URL_<SERVICE> for one service.`,
}

/** The parser of a stage's name, which is a part of the names of AWS resources. */
export function stageName(text: string): string {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(text))
    throw new InvalidArgumentError(
      'It must be a lower-case letter and up to 30 lower-case letters, digits and hyphens.',
    )
  return text
}

export const stageOption = new Option('-s, --stage <NAME>', 'The stage.').default('dev').argParser(stageName)

export const regionOption = new Option(
  '-r, --region <NAME>',
  `The AWS region. Default: that of the stage's file, else AWS_REGION, else ${usualRegion}.`,
)
export const profileOption = new Option('--aws-profile <NAME>', 'The profile of your AWS configuration.')
export const parametersOption = new Option(
  '--param <NAME=VALUE...>',
  'Sets a parameter of infra/README.md. Only issuers has no default. May be repeated.',
)
export const stageFileOption = new Option(
  '--stage-file <FILE>',
  "The stage's file. Default: infra/stages/STAGE.yml, if it exists.",
)
export const packageFolder = '.serverless'

/** Defines a command that changes a deployed stage. @param name as of defineCommand */
export const defineStageCommand = (name: string, purpose: string) =>
  defineCommand(name, {
    purpose,
    variables: awsVariables,
    example: `${name} --stage test --region eu-central-1`,
  })
    .addOption(new Option('-s, --stage <NAME>', 'The stage.').makeOptionMandatory().argParser(stageName))
    .addOption(regionOption)
    .addOption(stageFileOption)
    .addOption(profileOption)

/** Defines a command that packages a stage. */
export const definePackageCommand = (...about: Parameters<typeof defineCommand>) =>
  defineCommand(...about)
    .addOption(stageOption)
    .addOption(stageFileOption)
    .addOption(regionOption)
    .addOption(parametersOption)
    .option('-p, --package <FOLDER>', 'The folder for the package.', packageFolder)
    .addOption(profileOption)
    .option('--verbose', 'Prints the details of the framework.')

/** The values of the options. */
export type PackageValues = ReturnType<ReturnType<typeof definePackageCommand>['opts']>
