// SPDX-License-Identifier: Apache-2.0
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import type { Viewer } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { Link } from "../link/link.ts";
import { createFleetStore, PageContext } from "./page-context.ts";
import { router } from "./router.tsx";
import { loginService } from "./services.ts";

/** The whole page over a link to the hub. `pageVersion` is the version of this build (PG26). */
export function App({ link, pageVersion }: { readonly link: Link; readonly pageVersion: string }): ReactNode {
  const [viewer, setViewer] = useState<Viewer>();
  const reloadViewer = useCallback(() => {
    loginService.getViewer({}).then(
      (answer) => setViewer(answer.viewer),
      // The viewer is unknown. The link reports the reason, and asks for a login if that is the cause.
      () => setViewer(undefined),
    );
  }, []);
  useEffect(reloadViewer, [reloadViewer]);
  const fleet = useMemo(() => createFleetStore(link), [link]);
  const page = useMemo(
    () => ({ link, pageVersion, fleet, viewer, reloadViewer }),
    [link, pageVersion, fleet, viewer, reloadViewer],
  );
  return (
    <PageContext value={page}>
      <RouterProvider router={router} />
    </PageContext>
  );
}
