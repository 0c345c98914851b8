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
import { createViewSchema, updateViewSchema, viewSchema } from './contract'

export const viewOperations = defineOperations('views', 'jobs', {
  list: get('/api/views', 'read', 'The saved searches of the caller', { responses: ok(z.array(viewSchema)) }),
  create: post('/api/views', 'submit', 'Save a search of jobs under a name', {
    body: createViewSchema,
    responses: created(viewSchema),
  }),
  update: patch('/api/views/{id}', 'submit', 'Rename a saved search', {
    body: updateViewSchema,
    responses: ok(viewSchema),
  }),
  remove: remove('/api/views/{id}', 'submit', 'Delete a saved search', { responses: done }),
})
