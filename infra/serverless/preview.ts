import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CreateChangeSetCommand,
  DeleteChangeSetCommand,
  paginateDescribeChangeSet,
  type ResourceChange,
  waitUntilChangeSetCreateComplete,
} from '@aws-sdk/client-cloudformation'
import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { Interrupted, onInterrupt } from '../command-line/signals.ts'
import type { Aws } from './aws.ts'
import type { Package } from './package.ts'
import { serviceName } from './service-definition.ts'
import { bucketId, getTemplate, packagesOf, resourcesOf, type Stack } from './stack.ts'
import { readState, type Template } from './template.ts'

type Previewed = Pick<Package, 'template' | 'folder'>

const maxWaitSeconds = 300

/**
 * What a deployment of the package would change in the running stage: one line for each resource, those that AWS would
 * replace first.
 *
 * It makes a change set, which is never executed and is deleted afterwards; its template is uploaded for that time.
 *
 * @returns no lines when nothing would change
 * @throws Error of one sentence when AWS cannot compare them
 */
export async function changesOf(aws: Aws, stack: Stack, made: Previewed): Promise<string[]> {
  const { cloudFormation, s3, place } = aws
  const Bucket = packagesOf(stack) ?? (await resourcesOf(aws, stack)).get(bucketId) // moto has no outputs
  if (Bucket === undefined)
    throw new Error(`The stack ${stack.name} has no bucket for packages yet: deploy it once.`)
  const name = `preview-${randomUUID()}`
  const changeSet = { StackName: stack.name, ChangeSetName: name }
  const { service, package: uploads } = readState(made.folder)
  const { stackTags, iam, notificationArns, deploymentBucketObject: bucket } = service.provider
  const uploaded = { Bucket, Key: `${uploads.artifactDirectoryName}/${name}.json` }
  const encryption = { ServerSideEncryption: bucket?.serverSideEncryption, SSEKMSKeyId: bucket?.sseKMSKeyId }
  const wanted = await withRunningCode(aws, stack, Bucket, made)
  const theTemplate = {
    make: () => s3.send(new PutObjectCommand({ ...uploaded, ...encryption, Body: JSON.stringify(wanted) })),
    remove: () => s3.send(new DeleteObjectCommand(uploaded)),
    orElse: `aws s3 rm --region ${place.region} s3://${Bucket}/${uploaded.Key}`,
  }
  const theChangeSet = {
    make: () =>
      cloudFormation.send(
        new CreateChangeSetCommand({
          ...changeSet,
          ChangeSetType: 'UPDATE',
          TemplateURL: urlOf(aws, uploaded),
          Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM'],
          // As the framework sends them. Its own tag STAGE gives way to ours, stage.
          Tags: Object.entries(stackTags).map(([Key, Value]) => ({ Key, Value })),
          RoleARN: iam?.deploymentRole,
          NotificationARNs: notificationArns,
        }),
      ),
    remove: () => cloudFormation.send(new DeleteChangeSetCommand(changeSet)),
    orElse: `aws cloudformation delete-change-set --region ${place.region} --stack-name ${stack.name} --change-set-name ${name}`,
  }
  return uninterrupted(() =>
    during(theTemplate, () => during(theChangeSet, () => readChanges(aws, changeSet))),
  )
}

/** Waits for a change set. @returns one line for each resource */
async function readChanges(
  { cloudFormation: client }: Aws,
  changeSet: { StackName: string; ChangeSetName: string },
): Promise<string[]> {
  const waiter = { client, maxWaitTime: maxWaitSeconds, minDelay: 1, maxDelay: 5 }
  await waitUntilChangeSetCreateComplete(waiter, changeSet).catch(() => {}) // its state says why
  const pages = await Array.fromAsync(paginateDescribeChangeSet({ client }, changeSet))
  const [{ Status, StatusReason = '' } = {}] = pages
  if (Status === 'FAILED' && /didn't contain changes|No updates/.test(StatusReason)) return []
  if (Status !== 'CREATE_COMPLETE') throw new Error(`AWS made no change set (${Status}): ${StatusReason}`)
  return linesOf(pages.flatMap(({ Changes = [] }) => Changes.flatMap(one => one.ResourceChange ?? [])))
}

/** Does work that an interruption does not cut: AWS does not delete a change set before it has made it. */
async function uninterrupted<T>(work: () => Promise<T>): Promise<T> {
  let isInterrupted = false
  const end = onInterrupt(() => {
    isInterrupted = true
    process.stderr.write('Interrupted: it ends when AWS has made the change set, which is then deleted …\n')
  })
  const done = await work().finally(end)
  if (isInterrupted) throw new Interrupted('Interrupted: nothing is changed, and nothing is left.')
  return done
}

interface Temporary {
  make: () => Promise<unknown>
  remove: () => Promise<unknown>
  /** The command that removes it. */
  orElse: string
}

/** Makes something for some work, and removes it afterwards. @throws Error that also says what could not be removed */
async function during<T>({ make, remove, orElse }: Temporary, work: () => Promise<T>): Promise<T> {
  await make()
  const [done] = await Promise.allSettled([work()])
  await remove().catch(({ message }: Error) => {
    const first = done.status === 'rejected' ? `${done.reason.message} ` : ''
    throw new Error(`${first}The preview could not be cleaned up (${message}): run ${orElse}`)
  })
  if (done.status === 'rejected') throw done.reason
  return done.value
}

/** The URL of an object, in the form that the framework uses, too. */
const urlOf = ({ place }: Aws, { Bucket, Key }: { Bucket: string; Key: string }) =>
  `https://s3.${place.region.startsWith('cn-') ? `${place.region}.amazonaws.com.cn` : 'amazonaws.com'}/${Bucket}/${Key}`

/**
 * The package's template with the key of the running code where the code is the same: the framework gives each package a
 * new key.
 */
async function withRunningCode(
  aws: Aws,
  stack: Stack,
  Bucket: string,
  { template, folder }: Previewed,
): Promise<Template> {
  const { Resources } = await getTemplate(aws, stack)
  const Key = codeKeyOf(Resources)
  if (Key === undefined) return template
  const { Metadata = {} } = await aws.s3.send(new HeadObjectCommand({ Bucket, Key }))
  const code = readFileSync(join(folder, `${serviceName}.zip`))
  const isSame = Metadata.filesha256 === createHash('sha256').update(code).digest('base64')
  return isSame
    ? JSON.parse(JSON.stringify(template).replaceAll(codeKeyOf(template.Resources), Key))
    : template
}

const codeKeyOf = (resources: Template['Resources']) =>
  resources.ListSamlProvidersLambdaFunction?.Properties.Code.S3Key

/** The first words of the lines, in their order. */
const verbs = ['replace', 'may replace', 'remove', 'change', 'add']

function verbOf({ Action, Replacement }: ResourceChange): string {
  if (Replacement === 'True') return 'replace'
  if (Replacement === 'Conditional') return 'may replace'
  return Action === 'Add' || Action === 'Remove' ? Action.toLowerCase() : 'change'
}

function linesOf(changes: ResourceChange[]): string[] {
  const lines = changes.map(change => {
    const { LogicalResourceId, ResourceType, Details = [] } = change
    const parts = new Set(Details.map(({ Target }) => Target?.Name ?? Target?.Attribute))
    return { verb: verbOf(change), text: `${LogicalResourceId} (${ResourceType}) ${[...parts].join(', ')}` }
  })
  const ordered = lines.toSorted((one, other) => verbs.indexOf(one.verb) - verbs.indexOf(other.verb))
  return ordered.map(({ verb, text }) => `${verb.padEnd(12)}${text}`.trimEnd())
}
