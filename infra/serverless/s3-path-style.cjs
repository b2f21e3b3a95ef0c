// Loaded into the framework before anything else (node --require), when AWS is not at its own address.
const s3 = require(require.resolve('@aws-sdk/client-s3', { paths: [require.resolve('serverless')] }))

// The SDK puts a bucket's name in front of the host, and knows no variable against it: bucket.localhost is nowhere.
s3.S3Client = class extends s3.S3Client {
  constructor(config) {
    super({ ...config, forcePathStyle: true })
  }
}
