// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { usePage } from "../app/page-context.ts";
import { Sheet } from "../parts/sheet.tsx";
import { LoginForm } from "./login-form.tsx";

/** Covers the page while a login is needed. The page behind stays, so the viewer continues where they were (PG14). */
export function LoginWall({ sentence }: { readonly sentence: string }): ReactNode {
  const { link, reloadViewer } = usePage();
  return (
    <Sheet title="Log in">
      <p>{sentence}</p>
      <LoginForm
        onLogin={() => {
          reloadViewer();
          link.retryNow();
        }}
      />
    </Sheet>
  );
}
