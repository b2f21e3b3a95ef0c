import { type Deployment, functionsBy, logicalId } from './cloudwatch.ts'

// The fields are those of lib/log.ts.
const whoStillCalls = `filter event = "request_answered"
| fields coalesce(client_id, client) as name
| stats count(*) as calls, sum(strcontains(method, "DELETE")) as removals, max(timestamp) as last_call
    by issuer, name, subject
| sort last_call desc
| limit 1000`

const requestStory = `fields timestamp, level, event, status, code, client_id, subject, duration_ms, reason, error, message,
    provider_id, affected_total, unlinked
| filter request_id = "paste the X-Request-Id here"
| sort timestamp asc`

const removals = `filter ispresent(removal_id)
| stats latest(provider_id) as provider, min(timestamp) as began, max(timestamp) as last_seen,
    max(affected_total) as users, max(unlinked) as users_unlinked,
    sum(strcontains(event, "removal_resumed")) as resumed,
    max(strcontains(event, "removal_finished")) as finished,
    sum(strcontains(event, "membership_drift")) as drifts,
    earliest(subject) as requested_by
    by removal_id
| sort finished asc, began desc
| limit 1000`

/** The queries that are saved in CloudWatch Logs Insights, by logical id. */
export function queries({ service, stageName, functions }: Deployment) {
  const { endpoints, removing } = functionsBy(functions)
  const query = (title: string, logsOf: string[], QueryString: string) => ({
    Type: 'AWS::Logs::QueryDefinition',
    Properties: {
      Name: `${service}-${stageName}/${title}`,
      LogGroupNames: logsOf.map(name => ({ Ref: logicalId(name, 'LogGroup') })),
      QueryString,
    },
  })
  return {
    WhoStillCallsQuery: query('who still calls', endpoints, whoStillCalls),
    RequestStoryQuery: query("one request's story", endpoints, requestStory),
    RemovalsQuery: query('removals and their users', removing, removals),
  }
}

/** The dashboard's table of callers; its logs are named by references of Fn::Sub. */
export const lastCallers = (endpoints: string[]) =>
  [
    ...endpoints.map(name => `SOURCE '\${${logicalId(name, 'LogGroup')}}'`),
    'filter event = "request_answered"',
    'fields coalesce(client_id, client) as name',
    'stats count(*) as calls, max(timestamp) as last_call by issuer, name',
    'sort last_call desc',
    'limit 100',
  ].join(' | ')
