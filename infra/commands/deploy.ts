import { runCommand } from '../command-line/command.ts'
import { framework } from '../serverless/framework.ts'
import { packageOptions, packageService } from '../serverless/package.ts'

await runCommand({
  name: 'npm run deploy --',
  purpose: 'Packages a stage and deploys it to AWS, with the credentials of the environment.',
  options: packageOptions,
  variables: { AWS_ENDPOINT_URL: "Another AWS than Amazon's, such as http://localhost:4566." },
  example: `npm run deploy -- --stage prod --region eu-central-1 --param 'issuers=[{"issuer":"https://issuer.example/","audience":"administration"}]'`,
  async run(values) {
    return framework(['deploy', ...(await packageService(values))], 'inherit').status ?? 1
  },
})
