require('fast-check').configureGlobal({ endOnFailure: true });
