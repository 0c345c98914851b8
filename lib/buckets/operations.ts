import * as z from 'zod'
import {
  created,
  defineOperations,
  done,
  get,
  ok,
  patch,
  post,
  remove,
} from '../contract/operations/operation'
import * as buckets from './contract'

/** The buckets of projects, for admins. */
export const bucketOperations = defineOperations('buckets', 'access', {
  list: get('/api/buckets', 'admin', 'List the registered buckets', {
    responses: ok(z.array(buckets.bucketSchema)),
  }),
  create: post('/api/buckets', 'admin', 'Register a bucket, after a test object was written to it', {
    body: buckets.createBucketSchema,
    responses: created(buckets.bucketSchema),
  }),
  update: patch('/api/buckets/{name}', 'admin', 'Replace the keys of a bucket', {
    body: buckets.updateBucketSchema,
    responses: ok(buckets.bucketSchema),
  }),
  remove: remove('/api/buckets/{name}', 'admin', 'Delete the registration of an unused bucket', {
    responses: done,
  }),
})
