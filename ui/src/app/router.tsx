// SPDX-License-Identifier: Apache-2.0
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { Frame } from "../frame/frame.tsx";
import { AddClusterPage } from "../pages/add/add-cluster-page.tsx";
import { ChangesPage } from "../pages/changes/changes-page.tsx";
import { parseChangesSearch } from "../pages/changes/changes-search.ts";
import { ClusterPanel } from "../pages/cluster/cluster-panel.tsx";
import { FleetPage } from "../pages/fleet/fleet-page.tsx";
import { parseFleetSearch } from "../pages/fleet/fleet-search.ts";
import { LoginPage } from "../pages/login/login-page.tsx";
import { ObjectBesideChanges } from "../pages/object/object-beside-changes.tsx";
import { ObjectPage } from "../pages/object/object-page.tsx";
import { NotFoundPage } from "./not-found-page.tsx";

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });
const login = createRoute({ getParentRoute: () => root, path: "/login", component: LoginPage });
const gallery = createRoute({
  getParentRoute: () => root,
  path: "/gallery",
  component: lazyRouteComponent(() => import("../pages/gallery/gallery-page.tsx"), "GalleryPage"),
});
const frame = createRoute({ getParentRoute: () => root, id: "frame", component: Frame });
/** A cluster opens beside the fleet, so the fleet is its parent route. */
const fleet = createRoute({
  getParentRoute: () => frame,
  id: "fleet",
  component: FleetPage,
  validateSearch: parseFleetSearch,
});
const fleetAlone = createRoute({ getParentRoute: () => fleet, path: "/", component: () => null });
const cluster = createRoute({ getParentRoute: () => fleet, path: "/clusters/$name", component: ClusterPanel });
/** An object opens beside its cluster's unhealthy objects; the search of the fleet stays in the address. */
const object = createRoute({
  getParentRoute: () => frame,
  path: "/clusters/$name/objects/$resource/$",
  component: ObjectPage,
  validateSearch: parseFleetSearch,
});
const add = createRoute({ getParentRoute: () => frame, path: "/add", component: AddClusterPage });
const changes = createRoute({
  getParentRoute: () => frame,
  path: "/changes",
  component: ChangesPage,
  validateSearch: parseChangesSearch,
});
const changesAlone = createRoute({ getParentRoute: () => changes, path: "/", component: () => null });
const changedObject = createRoute({
  getParentRoute: () => changes,
  path: "/objects/$name/$resource/$",
  component: ObjectBesideChanges,
});

/** Every address of the page, below /ui. */
export const router = createRouter({
  routeTree: root.addChildren([
    login,
    gallery,
    frame.addChildren([
      fleet.addChildren([fleetAlone, cluster]),
      object,
      add,
      changes.addChildren([changesAlone, changedObject]),
    ]),
  ]),
  basepath: "/ui",
  defaultPreload: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** Message about a finished action for the target page; it is gone after the next navigation. */
    notice?: string;
    /** Key of the object that was just closed: its link regains the focus. */
    leftObject?: string;
  }
}
