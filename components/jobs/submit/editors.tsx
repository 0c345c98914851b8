import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { RefObject } from 'react'
import { lastJobQuery } from '@/components/queries/queries'
import { Callout } from '../../ui/callout'
import { PartBoundary } from '../../ui/missing-part'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { CodeEditor } from '../editor/code-editor'
import { ConfigEditor } from '../editor/config-editor'
import type { CodeEditorHandle } from '../editor/editor-props'
import type { FieldInfos } from '../editor/form-fields'
import type { DirectoryDraft } from './directory/use-directory'
import { commandOf, type Draft, hasDirectory, isCommand, withCommand } from './draft'
import type { DraftProblems } from './use-draft-problems'

/** Most jobs have no directory. */
const DirectoryPanel = dynamic(() =>
  import('./directory/directory-panel').then((module) => module.DirectoryPanel),
)
const FileEditor = dynamic(() => import('./directory/file-editor').then((module) => module.FileEditor))

/** What a reload of the submit page keeps. */
export const keptByReload = 'A reload keeps the program and the config, but not a directory.'

interface EditorsProps {
  draft: Draft
  files: DirectoryDraft
  problems: DraftProblems
  infos: FieldInfos
  refusedKeys: readonly string[]
  /** The line of the program that gets the cursor; null: none. */
  startLine: number | null
  onChange: (change: Partial<Draft>) => void
  code: RefObject<CodeEditorHandle | null>
  config: RefObject<CodeEditorHandle | null>
}

/** The editors of the program, or the directory with the editor of its open file, and the editor of the config. */
export function Editors(props: EditorsProps) {
  const { draft, files, problems, infos, refusedKeys, onChange, code, config } = props
  const { data: lastJob } = useQuery(lastJobQuery())
  const { directory } = files
  const { entrypoint } = problems
  return (
    <div className="mt-4 mb-5 grid items-start gap-4 lg:grid-cols-2">
      {directory === null ? (
        <div className="flex min-w-0 flex-col gap-4">
          {hasDirectory(draft.config) ? (
            <Callout title="The job gets the directory of an earlier job">
              The config key archive names it. Drop a folder to replace it.
            </Callout>
          ) : null}
          <ProgramEditor
            draft={draft}
            problems={problems}
            startLine={props.startLine}
            onChange={onChange}
            code={code}
          />
        </div>
      ) : (
        <div className="flex min-w-0 flex-col gap-4">
          {entrypoint === null ? null : (
            <PartBoundary kept={keptByReload}>
              <DirectoryPanel
                directory={directory}
                files={files}
                entrypoint={entrypoint}
                problems={problems.directory}
                config={draft.config}
                onConfig={(text) => onChange({ config: text })}
              />
            </PartBoundary>
          )}
          {files.openFile === null ? null : (
            <PartBoundary kept={keptByReload}>
              <FileEditor file={files.openFile} onChange={files.edit} onClose={files.close} />
            </PartBoundary>
          )}
        </div>
      )}
      <Panel>
        <PanelHeader title={<span className="font-mono">config.yaml</span>} />
        <PanelBody>
          <ConfigEditor
            ref={config}
            value={draft.config}
            onChange={(text) => onChange({ config: text })}
            infos={infos}
            problems={problems.config}
            environments={problems.environments}
            refusedKeys={refusedKeys}
            lastJob={lastJob ?? null}
          />
        </PanelBody>
      </Panel>
    </div>
  )
}

/** The editor of the program, or of the command that runs instead. */
function ProgramEditor({
  draft,
  problems,
  startLine,
  onChange,
  code,
}: Pick<EditorsProps, 'draft' | 'problems' | 'startLine' | 'onChange' | 'code'>) {
  const { description, ...editor } = isCommand(draft)
    ? {
        label: 'command',
        description:
          '/bin/sh runs this command instead of solution.py. To write a program, remove the key from the config.',
        language: 'shell' as const,
        value: commandOf(draft.config) ?? '',
        onChange: (command: string) => onChange({ config: withCommand(draft.config, command) }),
        placeholder: 'python train.py',
        // The problems of a command are shown with the config.
      }
    : {
        label: 'solution.py',
        language: 'python' as const,
        value: draft.code,
        onChange: (code: string) => onChange({ code }),
        problems: problems.code,
        startLine,
        placeholder: "print('Hello from a GPU')",
      }
  return (
    <Panel>
      <PanelHeader title={<span className="font-mono">{editor.label}</span>} description={description} />
      <PanelBody>
        <CodeEditor key={editor.label} ref={code} {...editor} className="h-[34rem] max-lg:h-96" />
      </PanelBody>
    </Panel>
  )
}
