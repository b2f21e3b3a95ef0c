import { Option } from '@commander-js/extra-typings'
import { defineCommand } from '../command-line/command.ts'
import { usualRegion } from './service-definition.ts'

export const stageOption = new Option('-s, --stage <NAME>', 'The stage.').default('dev')
export const regionOption = new Option(
  '-r, --region <NAME>',
  `The AWS region. Default: AWS_REGION, else ${usualRegion}.`,
)
export const profileOption = new Option('--aws-profile <NAME>', 'The profile of your AWS configuration.')
export const parametersOption = new Option(
  '--param <NAME=VALUE...>',
  'Sets a parameter; serverless.yml documents each. Only issuers has no default. May be repeated.',
)
export const packageFolder = '.serverless'

/** Defines a command that packages a stage. */
export const definePackageCommand = (...about: Parameters<typeof defineCommand>) =>
  defineCommand(...about)
    .addOption(stageOption)
    .addOption(regionOption)
    .addOption(parametersOption)
    .option('-p, --package <FOLDER>', 'The folder for the package.', packageFolder)
    .addOption(profileOption)
    .option('--verbose', 'Prints the details of the framework.')

export interface StageValues {
  stage: string
  param?: string[] | undefined
}

/** The values of the options. */
export interface PackageValues extends StageValues {
  package: string
  region?: string | undefined
  awsProfile?: string | undefined
  verbose?: boolean | undefined
}
