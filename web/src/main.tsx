import { render } from 'preact';
import { Data } from './data';
import { Report } from './report';
import { Timeline } from './timeline';
import './style.css';

const data = JSON.parse(document.getElementById('data')!.textContent!) as Data;
const app = document.getElementById('app')!;
app.textContent = '';
document.title = `Foretrace: ${data.trace.source.slice(0, 200)}`;
render(data.view === 'report' ? <Report data={data} /> : <Timeline data={data} />, app);
