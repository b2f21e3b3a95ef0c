// Loaded into the framework first (node --require) for the first deployment of a stage's table.
const cloudFormation = require(
  require.resolve('@aws-sdk/client-cloudformation', { paths: [require.resolve('serverless')] }),
)

// CloudFormation imports resources of the template that exist and that it would keep: the table, and logs that an earlier
// stack kept. The framework has no option for it.
cloudFormation.CreateChangeSetCommand = class extends cloudFormation.CreateChangeSetCommand {
  constructor(input) {
    super({ ...input, ImportExistingResources: true })
  }
}
