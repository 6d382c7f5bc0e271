/** A code sample in several languages. The language picker uses radio buttons, so that it works without JavaScript. */
import type { CodeSample } from '@/lib/http/openapi/types'
import { CopyButton } from '../_components/copy-button'
import { docsCopy as copy } from '../copy/docs'
import { Code } from './highlight'

export function Samples({ name, title, samples }: { name: string; title: string; samples: CodeSample[] }) {
  return (
    <fieldset className="samples relative overflow-hidden rounded-lg border border-line bg-card">
      <legend className="sr-only">{`${title}: ${copy.language}`}</legend>
      <div className="flex gap-1 border-line border-b px-2 pt-1.5">
        {samples.map(({ label }, index) => (
          <label key={label} className="sample-tab">
            <input type="radio" name={`sample-${name}`} value={label} defaultChecked={index === 0} className="sr-only" />
            {label}
          </label>
        ))}
      </div>
      {samples.map(({ label, source }) => (
        <div key={label} className="sample" data-label={label} data-operation={name}>
          <div className="with-script absolute top-1 right-3">
            <CopyButton text={source} name={copy.copy} />
          </div>
          <Code code={source} />
        </div>
      ))}
    </fieldset>
  )
}
