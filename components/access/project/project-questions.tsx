'use client'

import { useMutation } from '@tanstack/react-query'
import { updateMembership } from '@/components/queries/queries'
import { describeAgreement } from '@/lib/contract/access/project-kinds'
import type { Project } from '@/lib/contract/access/projects'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { toastOutcome } from '../../ui/toaster'

/** Asks which project a name means, for each name that several of the user's projects have. Nothing once they have answered. */
export function NameQuestions({ projects }: { projects: readonly Project[] }) {
  const names = [...new Set(projects.filter(({ asks }) => asks).map(({ project_id }) => project_id))]
  return names.map((name) => (
    <NameQuestion
      key={name}
      name={name}
      projects={projects.filter(({ asks, project_id }) => asks && project_id === name)}
    />
  ))
}

function NameQuestion({ name, projects }: { name: string; projects: readonly Project[] }) {
  const { mutate, isPending } = useMutation(updateMembership)
  return (
    <Callout tone="warning" title={`Which project does ${name} mean?`} className="mb-5">
      <p>
        You have several projects named {name}. Which one gets your jobs with this project_id? You can change
        your answer later, on the page of each project.
      </p>
      <div className="mt-2 flex flex-wrap gap-1.5">
        {projects.map(({ id, owner, kind, means }) => (
          <Button
            key={id}
            size="sm"
            loading={isPending}
            onClick={() =>
              mutate({ id, preferred: true }, toastOutcome(`${name} means the project of ${owner}`))
            }
          >
            {`The ${kind === 'private' ? 'project' : kind} of ${owner}${means ? ' (as now)' : ''}`}
          </Button>
        ))}
      </div>
    </Callout>
  )
}

interface OwnQuestionsProps {
  project: Project
  /** The signed-in user. */
  handle: string
}

/** What a member decides alone about a project: the agreement to its kind, and whether its name means it. */
export function OwnQuestions({ project, handle }: OwnQuestionsProps) {
  const isMember = project.members.includes(handle)
  if (!isMember && project.owner !== handle) return null
  return (
    <>
      {isMember && project.kind !== 'private' && !project.agreed.includes(handle) ? (
        <Agreement id={project.id} kind={project.kind} />
      ) : null}
      {project.asks || !project.means ? <Meaning project={project} /> : null}
    </>
  )
}

function Agreement({ id, kind }: { id: string; kind: 'team' | 'class' }) {
  const { mutate, isPending } = useMutation(updateMembership)
  return (
    <Callout
      tone="warning"
      title={`This project is a ${kind}`}
      action={
        <Button
          size="sm"
          variant="primary"
          loading={isPending}
          onClick={() => mutate({ id, agree_to: kind }, toastOutcome('You agreed'))}
        >
          Agree
        </Button>
      }
    >
      {describeAgreement(kind)} Until you agree, nobody but you and admins sees them.
    </Callout>
  )
}

function Meaning({ project: { id, project_id, means } }: Pick<OwnQuestionsProps, 'project'>) {
  const { mutate, isPending } = useMutation(updateMembership)
  return (
    <Callout
      title={`You have several projects named ${project_id}`}
      action={
        <Button
          size="sm"
          loading={isPending}
          onClick={() =>
            mutate(
              { id, preferred: true },
              toastOutcome(`Your jobs with ${project_id} now go to this project`),
            )
          }
        >
          Use this project
        </Button>
      }
    >
      Your jobs with this project_id go to {means ? 'this project' : 'another one'}.
    </Callout>
  )
}
