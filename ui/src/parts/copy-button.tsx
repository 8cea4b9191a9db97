// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useState } from "react";

/** Copies a text. Says so when it was copied, and when the browser does not let us; give it a key, so that it says it of this text. */
export function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [word, setWord] = useState("Copy");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setWord("Copied");
    } catch {
      setWord("Select it and copy: the browser refuses");
    }
  };
  return (
    <button type="button" onClick={() => void copy()} aria-live="polite">
      {word}
    </button>
  );
}
