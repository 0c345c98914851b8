import { X } from 'lucide-react'
import type { Ref } from 'react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { IconButton } from '../../../ui/icon-button'
import { Panel, PanelBody, PanelHeader } from '../../../ui/panel'
import { CodeEditor } from '../../editor/code-editor'
import type { CodeEditorHandle, CodeLanguage } from '../../editor/editor-props'
import { usePythonProblems } from '../../editor/python/use-python-problems'
import type { LocalFile } from './directory'

interface FileEditorProps {
  ref?: Ref<CodeEditorHandle>
  file: LocalFile
  onChange: (text: string) => void
  onClose: () => void
}

/** The editor of a file of the directory. */
export function FileEditor({ ref, file, onChange, onClose }: FileEditorProps) {
  const { path, text = '' } = file
  const language = languageOf(path)
  const problems = usePythonProblems(language === 'python' ? text : '')
  const label = visibleText(path, 300)
  return (
    <Panel>
      <PanelHeader
        title={<span className="break-all font-mono">{label}</span>}
        actions={<IconButton icon={X} label={`Close ${visibleText(path, 60)}`} onClick={onClose} />}
      />
      <PanelBody>
        <CodeEditor
          key={path}
          ref={ref}
          label={label}
          language={language}
          value={text}
          onChange={onChange}
          problems={problems}
          className="h-[34rem] max-lg:h-96"
        />
      </PanelBody>
    </Panel>
  )
}

function languageOf(path: string): CodeLanguage {
  if (/\.py$/i.test(path)) return 'python'
  return /\.ya?ml$/i.test(path) ? 'yaml' : 'text'
}
