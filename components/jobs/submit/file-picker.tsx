import { FolderOpen } from 'lucide-react'
import { type ChangeEvent, useRef } from 'react'
import { Button } from '../../ui/button'
import { FileDrop } from '../../ui/file-drop'
import { type DroppedItem, readTransfer, toItems } from './directory/read/dropped-items'

interface FilePickerProps {
  /** Files are being read. */
  reading: boolean
  onItems: (items: readonly DroppedItem[]) => void
}

/** The drop area, and a button that chooses a folder: the picker of the drop area can only choose files. */
export function FilePicker({ reading, onItems }: FilePickerProps) {
  const folder = useRef<HTMLInputElement>(null)
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.target.files ?? [])]
    // Reset, so that choosing the same folder again is a change.
    event.target.value = ''
    onItems(toItems(files))
  }
  return (
    <div className="flex items-stretch gap-3 max-sm:flex-col">
      <div data-file-drop className="min-w-0 flex-1">
        <FileDrop
          label="Drop a folder, a .zip or files, or choose files"
          hint="You can drop them anywhere on this page: solution.py and config.yaml, or a whole directory."
          multiple
          onFiles={(files) => onItems(toItems(files))}
          onDrop={(transfer) => onItems(readTransfer(transfer))}
          className="h-full py-4"
        />
      </div>
      <div className="grid place-items-center">
        <Button icon={FolderOpen} loading={reading} onClick={() => folder.current?.click()}>
          Choose a folder
        </Button>
        <input
          ref={(input) => {
            folder.current = input
            if (input) input.webkitdirectory = true
          }}
          type="file"
          className="hidden"
          aria-label="Folder"
          onChange={choose}
        />
      </div>
    </div>
  )
}
