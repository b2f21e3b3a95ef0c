// Loaded into the framework first (node --require) when AWS_ENDPOINT_URL is set.
const s3 = require(require.resolve('@aws-sdk/client-s3', { paths: [require.resolve('serverless')] }))

// The SDK puts the bucket into the host name, which an emulator's host does not resolve; there is no variable for it.
s3.S3Client = class extends s3.S3Client {
  constructor(config) {
    super({ ...config, forcePathStyle: true })
  }
}
