import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { Template } from '../template.ts'
import type { Deployed } from './deployment.ts'
import { checkLogGroups } from './log-groups.ts'
import { contentOf, readStack } from './stack.ts'
import { checkTableOfRollback } from './table.ts'

interface Rollback extends Deployed {
  bucket: string
  /** The key of the template to go back to. */
  key: string
}

/**
 * Checks that a rollback leaves the stage its table, and creates no log group that exists.
 *
 * @throws Error of one sentence; or an error of the SDK, when AWS cannot be asked
 */
export async function checkRollback({ stage, stackName, config, bucket, key }: Rollback): Promise<void> {
  const template = await templateAt(new S3Client(config), bucket, key)
  if (template === undefined) return // the framework says so
  const wanted = contentOf(template)
  const running = await readStack(config, stackName)
  if (wanted.table !== undefined)
    checkTableOfRollback({ stage, running: running?.table, wanted: wanted.table })
  await checkLogGroups(config, stage, wanted, running)
}

async function templateAt(s3: S3Client, Bucket: string, Key: string): Promise<Template | undefined> {
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
    return JSON.parse(`${await Body?.transformToString()}`)
  } catch (error) {
    if ((error as Error).name === 'NoSuchKey') return undefined
    throw error
  }
}

/**
 * The name of a package's folder in the bucket, as the framework makes it.
 *
 * @param timestamp milliseconds, as `deploy list` prints them, or a time in ISO 8601
 * @throws Error of one sentence
 */
export function packageFolder(timestamp: string): string {
  const date = [new Date(timestamp), new Date(Number(timestamp))].find(
    candidate => !Number.isNaN(candidate.getTime()),
  )
  if (date === undefined)
    throw new Error(`"${timestamp}" is no timestamp: npx serverless deploy list prints them.`)
  return `${date.getTime()}-${date.toISOString()}`
}
