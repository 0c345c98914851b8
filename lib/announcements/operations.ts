import { defineOperations, done, get, ok, post, put, remove } from '../contract/operations/operation'
import * as announcements from './contract'

/** What an admin tells every signed-in user. */
export const announcementOperations = defineOperations('announcements', 'access', {
  get: get('/api/announcement', 'read', 'The announcement that every user sees', {
    responses: ok(announcements.currentAnnouncementSchema),
  }),
  set: put('/api/announcement', 'admin', 'Publish an announcement, in place of the one before', {
    body: announcements.setAnnouncementSchema,
    responses: ok(announcements.currentAnnouncementSchema),
  }),
  dismiss: post('/api/announcement/dismissal', 'read', 'Do not show the announcement to the caller again', {
    body: announcements.dismissAnnouncementSchema,
    responses: done,
  }),
  remove: remove('/api/announcement', 'admin', 'Remove the announcement', { responses: done }),
})
