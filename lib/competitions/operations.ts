import * as z from 'zod'
import {
  created,
  defineOperations,
  done,
  file,
  get,
  list,
  ok,
  patch,
  post,
  put,
  remove,
} from '../contract/operations/operation'
import * as competitions from './contract'
import * as boards from './contract-boards'
import * as entries from './contract-entries'
import * as grades from './contract-grades'
import * as rescores from './contract-rescores'
import * as similarity from './contract-similarity'

/** Competitions, and who takes part. */
export const competitionOperations = defineOperations('competitions', 'competitions', {
  list: get(
    '/api/competitions',
    'anyone',
    'List the competitions that the caller may see, the latest first',
    {
      query: z.object({
        limit: z.coerce.number().int().min(1).max(200).default(50),
        cursor: z.string().optional(),
        joined: z.stringbool().default(false).describe('true: only those that the caller has joined'),
      }),
      responses: list(competitions.competitionSchema),
    },
  ),
  get: get('/api/competitions/{id}', 'anyone', 'A competition, by its competition_id', {
    responses: ok(competitions.competitionDetailSchema),
  }),
  put: put(
    '/api/competitions/{id}',
    'submit',
    'Create or change a competition. The same request twice changes nothing',
    {
      query: z.object({ dry_run: z.stringbool().default(false) }),
      body: competitions.putCompetitionSchema,
      maxBodyBytes: 8 * 1024 * 1024,
      responses: ok(competitions.putCompetitionAnswerSchema),
    },
  ),
  join: post('/api/competitions/{id}/join', 'submit', 'Join a competition, or ask to', {
    body: competitions.joinCompetitionSchema,
    bodyOptional: true,
    responses: ok(competitions.memberSchema),
  }),
  leave: post('/api/competitions/{id}/leave', 'submit', 'Leave a competition before the first entry', {
    responses: done,
  }),
  members: get('/api/competitions/{id}/members', 'read', 'List the members of a competition; for its staff', {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(1000).default(200),
      cursor: z.string().optional(),
      state: z.enum(competitions.memberStates).optional(),
    }),
    responses: list(competitions.memberSchema),
  }),
  updateMember: patch(
    '/api/competitions/{id}/members/{user}',
    'submit',
    'Approve a member, or change the role, section or grace days',
    {
      body: competitions.updateMemberSchema,
      responses: ok(competitions.memberSchema),
    },
  ),
  removeMember: remove(
    '/api/competitions/{id}/members/{user}',
    'submit',
    'Refuse a request, or remove a member without entries',
    {
      responses: done,
    },
  ),
  roster: put('/api/competitions/{id}/roster', 'submit', 'Replace the list of who may join, from CSV', {
    query: z.object({ dry_run: z.stringbool().default(false) }),
    body: competitions.rosterSchema,
    maxBodyBytes: 12 * 1024 * 1024,
    responses: ok(competitions.rosterAnswerSchema),
  }),
  team: get('/api/competitions/{id}/team', 'read', "The caller's team", {
    responses: ok(competitions.teamSchema),
  }),
  updateTeam: patch(
    '/api/competitions/{id}/team',
    'submit',
    "Rename the caller's team, invite people, or take invitations back",
    {
      body: competitions.updateTeamSchema,
      responses: ok(competitions.teamSchema),
    },
  ),
  leaveTeam: post(
    '/api/competitions/{id}/team/leave',
    'submit',
    'Leave the team before its first entry, and take part alone',
    {
      responses: ok(competitions.teamSchema),
    },
  ),
  invitations: get('/api/competitions/{id}/invitations', 'read', 'Invitations of the caller to teams', {
    responses: ok(z.array(competitions.teamInvitationSchema)),
  }),
  acceptInvitation: post(
    '/api/competitions/{id}/invitations/{invitation}/accept',
    'submit',
    'Accept an invitation to a team',
    {
      responses: ok(competitions.teamSchema),
    },
  ),
  declineInvitation: remove(
    '/api/competitions/{id}/invitations/{invitation}',
    'submit',
    'Decline an invitation to a team',
    {
      responses: done,
    },
  ),
  similar: get(
    '/api/competitions/{id}/phases/{phase}/similar',
    'read',
    'Programs of different teams that resemble each other; for the staff',
    {
      query: similarity.similarQuerySchema,
      responses: ok(similarity.similarSchema),
    },
  ),
})

/** Entries of teams. Submissions with the `competition_id` of a competition make them (`POST /api/submit`). */
export const entryOperations = defineOperations('entries', 'competitions', {
  list: get(
    '/api/competitions/{id}/phases/{phase}/entries',
    'read',
    "List the entries of the caller's team, or as staff of all, newest first",
    {
      query: entries.entryListQuerySchema,
      responses: list(entries.entrySchema),
    },
  ),
  own: get(
    '/api/competitions/{id}/phases/{phase}/quota',
    'read',
    "What the caller's team may still send, and its places in the queue",
    {
      responses: ok(entries.ownEntriesSchema),
    },
  ),
  get: get('/api/entries/{id}', 'read', 'An entry', {
    query: entries.entryQuerySchema,
    responses: ok(entries.entrySchema),
  }),
  log: get(
    '/api/entries/{id}/log',
    'read',
    'What the program of an entry has printed, if its phase shows it',
    {
      responses: file('The last 1 MiB of the output, as text'),
    },
  ),
  source: get('/api/entries/{id}/source', 'read', 'The program of an entry', {
    responses: file('solution.py'),
  }),
  withdraw: post('/api/entries/{id}/withdraw', 'submit', 'Cancel an entry that has not ended', {
    responses: ok(entries.entrySchema),
  }),
  choose: post(
    '/api/entries/{id}/choose',
    'submit',
    'Choose an entry for the final board, or take the choice back',
    {
      body: entries.chooseEntrySchema,
      responses: ok(entries.entrySchema),
    },
  ),
  disqualify: post(
    '/api/entries/{id}/disqualify',
    'submit',
    'Disqualify an entry, or take that back; for hosts and instructors',
    {
      body: entries.disqualifySchema,
      responses: ok(entries.entrySchema),
    },
  ),
})

/** Boards of phases. */
export const boardOperations = defineOperations('boards', 'competitions', {
  get: get('/api/competitions/{id}/phases/{phase}/leaderboard', 'anyone', 'The leaderboard of a phase', {
    query: boards.boardQuerySchema,
    frequent: true,
    responses: ok(boards.boardSchema),
  }),
  csv: get(
    '/api/competitions/{id}/phases/{phase}/leaderboard.csv',
    'anyone',
    'The leaderboard of a phase as CSV',
    {
      responses: file('rank, team, the columns, entries, best_at'),
    },
  ),
  reveal: post(
    '/api/competitions/{id}/phases/{phase}/reveal',
    'submit',
    'Show the final board to everybody; for hosts',
    {
      responses: ok(boards.boardSchema),
    },
  ),
})

/** Sets of runs of scoring programs over stored outputs, for hosts. */
export const rescoreOperations = defineOperations('rescores', 'competitions', {
  create: post(
    '/api/competitions/{id}/phases/{phase}/rescores',
    'submit',
    'Score the stored outputs of a phase again, with the newest scoring program and labels; for hosts',
    {
      responses: created(rescores.rescoreSchema),
    },
  ),
  list: get(
    '/api/competitions/{id}/phases/{phase}/rescores',
    'read',
    'The sets that score a phase again, newest first; for hosts',
    {
      responses: ok(z.array(rescores.rescoreSchema)),
    },
  ),
  get: get('/api/rescores/{id}', 'read', 'A set that scores again, with a preview of the board; for hosts', {
    query: rescores.rescoreQuerySchema,
    responses: ok(rescores.rescoreDetailSchema),
  }),
  apply: post('/api/rescores/{id}/apply', 'submit', 'Let the new scores of a set count; for hosts', {
    responses: ok(rescores.rescoreSchema),
  }),
  discard: post(
    '/api/rescores/{id}/discard',
    'submit',
    'Give a set up: no score changes, and its runs stop; for hosts',
    {
      responses: ok(rescores.rescoreSchema),
    },
  ),
})

/** Grades of participants. */
export const gradeOperations = defineOperations('grades', 'competitions', {
  list: get('/api/competitions/{id}/grades', 'read', 'The grades of all participants; for the staff', {
    query: grades.gradeListQuerySchema,
    responses: list(grades.gradesSchema),
  }),
  own: get('/api/competitions/{id}/grades/own', 'read', "The caller's grades, with what late entries lost", {
    responses: ok(grades.gradesSchema),
  }),
  csv: get(
    '/api/competitions/{id}/grades.csv',
    'read',
    'The grades of all participants as CSV; for instructors and hosts',
    {
      query: grades.gradeCsvQuerySchema,
      responses: file('plain, or with the columns that Canvas or Moodle imports'),
    },
  ),
  putExtension: put(
    '/api/competitions/{id}/phases/{phase}/extensions/{user}',
    'submit',
    'Give a participant a later end of a phase; for the staff',
    {
      body: grades.putExtensionSchema,
      responses: ok(grades.extensionSchema),
    },
  ),
  removeExtension: remove(
    '/api/competitions/{id}/phases/{phase}/extensions/{user}',
    'submit',
    'Take an extension back; for the staff',
    {
      responses: done,
    },
  ),
  putOverride: put(
    '/api/competitions/{id}/grades/{user}/{phase}',
    'submit',
    'Set a grade instead of the computed one; for instructors and hosts',
    {
      body: grades.putOverrideSchema,
      responses: ok(grades.overrideSchema),
    },
  ),
  removeOverride: remove(
    '/api/competitions/{id}/grades/{user}/{phase}',
    'submit',
    'Let the computed grade count again; for instructors and hosts',
    {
      responses: done,
    },
  ),
})
