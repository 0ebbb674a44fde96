/** The routes that the controllers declare, to tell a wrong method from an unknown path, and to suggest the path that was meant. */
import { type INestApplication, RequestMethod, VERSION_NEUTRAL } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, VERSION_METADATA } from '@nestjs/common/constants';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { nearest } from '#spelling';

/** The first part of every path of the API. */
const API = 'v1';

/** The parts with which the paths of other APIs begin. */
const ROOT_PART = /^(api|v\d+)$/i;

/** A route: its method and its path, such as `/v1/accounts/:id`. */
export interface Route {
  method: string;
  path: string;
}

/** All routes of an application. */
export function routesOf(app: INestApplication): Route[] {
  const scanner = new MetadataScanner();
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  return controllers.flatMap(({ metatype }) => {
    if (!metatype || !('prototype' in metatype)) return [];
    const prototype: unknown = metatype.prototype;
    if (typeof prototype !== 'object' || prototype === null) return [];
    const version = Reflect.getMetadata(VERSION_METADATA, metatype) === VERSION_NEUTRAL ? '' : API;
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler: unknown = Reflect.get(prototype, name);
      return typeof handler === 'function' ? declared(handler, [version, ...textsOf(Reflect.getMetadata(PATH_METADATA, metatype))]) : [];
    });
  });
}

/**
 * The methods that a path takes, sorted. A path that takes GET takes HEAD. Empty for an unknown path. A path that a route spells out takes
 * no method of a route with a parameter in its place.
 */
export function methodsOf(routes: readonly Route[], path: string): string[] {
  // An empty part, as of a final slash, is a part of no route.
  const parts = path.split('/').slice(1);
  const spelled = routes.filter((route) => route.path === path);
  const found = spelled.length > 0 ? spelled : routes.filter((route) => matches(partsOf(route.path), parts));
  const methods = found.map(({ method }) => method);
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
}

/** The path of the API that an unknown path most likely stands for: its fixed words are near to those of the unknown path. */
export function pathNear(routes: readonly Route[], path: string): string | undefined {
  const given = partsOf(path);
  const start = given.findIndex((part) => !ROOT_PART.test(part));
  const parts = [API, ...(start < 0 ? [] : given.slice(start))];
  const patterns = routes.filter((route) => route.path.startsWith(`/${API}/`)).map((route) => partsOf(route.path));
  const candidates = patterns.filter((pattern) => areWordsNear(pattern, parts)).map((pattern) => filled(pattern, parts));
  return nearest(`/${parts.join('/')}`, [...new Set(candidates)]);
}

/** Whether the fixed words of a route are near to a path. Its parameters, which would fit any text, and the root do not count. */
function areWordsNear(pattern: string[], parts: string[]): boolean {
  const isWord = (index: number): boolean => index > 0 && pattern[index]?.startsWith(':') !== true;
  const isNear = (typed: string, word: string): boolean => nearest(typed, [word]) !== undefined || word.split('_').includes(typed);
  if (pattern.length === parts.length) return pattern.every((word, index) => !isWord(index) || isNear(parts[index] ?? '', word));
  const wordsOf = (all: string[]): string => all.filter((_, index) => isWord(index)).join('/');
  return isNear(wordsOf(parts), wordsOf(pattern));
}

/** A route's path with the parameters of a given one. */
function filled(pattern: string[], parts: string[]): string {
  return `/${pattern.map((part, index) => (part.startsWith(':') ? (parts[index] ?? part) : part)).join('/')}`;
}

function declared(handler: object, prefix: string[]): Route[] {
  const method: unknown = Reflect.getMetadata(METHOD_METADATA, handler);
  if (typeof method !== 'number') return [];
  return textsOf(Reflect.getMetadata(PATH_METADATA, handler)).map((path) => ({
    method: RequestMethod[method] ?? '',
    path: `/${[...prefix, path].flatMap(partsOf).join('/')}`,
  }));
}

function matches(pattern: string[], parts: string[]): boolean {
  const [last] = pattern.slice(-1);
  if (last?.startsWith('{*')) return parts.length >= pattern.length && matches(pattern.slice(0, -1), parts.slice(0, pattern.length - 1));
  return (
    pattern.length === parts.length && pattern.every((part, index) => (part.startsWith(':') ? parts[index] !== '' : part === parts[index]))
  );
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

function textsOf(value: unknown): string[] {
  return [value].flat().filter((each) => typeof each === 'string');
}
